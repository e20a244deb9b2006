/** An artist as listeners read it. The station's bands are names of its composer, and must not be taken for people. */
export const bylineOf = (artist: string, madeByStation: boolean): string =>
  madeByStation ? `${artist} (made by the station)` : artist
