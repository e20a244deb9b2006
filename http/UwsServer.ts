export const engineHere = async () => false
