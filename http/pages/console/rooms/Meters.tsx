/** Level meters of the air; drawn once the station offers them. */
export const Meters = () => null
