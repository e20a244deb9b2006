/** The small build of hls.js: the same library without captions, alternate audio and DRM. It comes without types of its own. */
declare module "hls.js/light" {
  export { default } from "hls.js"
}
