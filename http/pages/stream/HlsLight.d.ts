/** The light build of hls.js, without captions, alternate audio and DRM. It has no types of its own. */
declare module "hls.js/light" {
  export { default } from "hls.js"
}
