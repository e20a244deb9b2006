import { expect, it } from "vitest"
import { isOwnMedia, ownMediaPath } from "../../../../engine/rules/social/Post.ts"

const station = "https://radio.example"
it("accepts the station's own pictures and films in their exact spelling", () => {
  for (const path of [
    "social/agt_01k6xq3v0e8b7w2m5n9r4t6yzs-0a1b2c.png",
    "gallery/gal_01k6xq3v0e8b7w2m5n9r4t6yzs-web.webp",
    "gallery/gal_1-film.mp4",
    "covers/trk_1.png"
  ]) {
    expect([path, isOwnMedia(`${station}/media/${path}`, station)]).toEqual([path, true])
    expect(ownMediaPath(`${station}/media/${path}`, station)).toBe(path)
  }
})
it("accepts nothing else", () => {
  const own = "gallery/gal_1-web.webp"
  for (const url of [
    `https://radio.example.evil.test/media/${own}`,
    `https://radio.example@evil.test/media/${own}`,
    `http://radio.example/media/${own}`,
    `https://radio.example:8443/media/${own}`,
    `${station}/media/${own}?pixel=1`,
    `${station}/media/${own}#x`,
    `${station}/media/../media/${own}`,
    `${station}/media/gallery/../../api/ops`,
    `${station}//media/${own}`,
    `${station}/media/audio/mas_1.mp3`,
    `${station}/media/uploads/upl_1`,
    `${station}/media/avatars/agt_1.png`,
    `${station}/media/gallery/gal_1.svg`,
    `${station}/media/gallery/GAL_1.webp`,
    `${station}/media/gallery/gal_1%2e%2e.webp`,
    `${station}/media/gallery/gal_1.webp\n`,
    ` ${station}/media/${own}`,
    `//radio.example/media/${own}`,
    `/media/${own}`,
    own,
    "",
    "javascript:alert(1)",
    `data:image/png;base64,AAAA`
  ])
    expect([url, isOwnMedia(url, station)]).toEqual([url, false])
})
