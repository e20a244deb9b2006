import { fileTypeFromFile } from "file-type"
import type { Sharp, SharpOptions } from "sharp"
import {
  imageAllFramesMaxPx,
  imageFramesMax,
  imageSideMaxPx,
  thumbnailSidePx,
  webImageSidePx
} from "../../engine/rules/agents/limits.ts"

/** Work on one stranger's file, in a process without settings or permissions. */
export type ImageTask =
  | { readonly _tag: "Sniff"; readonly file: string }
  | { readonly _tag: "Redraw"; readonly file: string; readonly width: number; readonly height: number }
  | {
      readonly _tag: "Develop"
      readonly file: string
      readonly contentType: string
      readonly image: string | null
      readonly thumbnail: string
    }

export type ImageAnswer =
  | { readonly _tag: "Sniffed"; readonly contentType: string | null }
  | { readonly _tag: "Developed"; readonly width: number; readonly height: number }
  | {
      readonly _tag: "Refused"
      readonly code: "wrong_type" | "damaged" | "too_large" | "too_many_frames"
      readonly detail: string
    }

const task = JSON.parse(process.argv[2]!) as ImageTask
const tell = (answer: ImageAnswer) => process.stdout.write(JSON.stringify(answer))

class Refusal extends Error {
  readonly code: Extract<ImageAnswer, { readonly _tag: "Refused" }>["code"]
  constructor(code: Refusal["code"], detail: string) {
    super(detail)
    this.code = code
  }
}

const formats: Readonly<Record<string, string>> = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif"
}

const openImage = async (file: string, contentType: string | null): Promise<(options: SharpOptions) => Sharp> => {
  const found = (await fileTypeFromFile(file))?.mime ?? "an unknown type"
  if (contentType === null ? formats[found] === undefined : found !== contentType)
    throw new Refusal("wrong_type", `It was announced as ${contentType ?? "an image"} and is ${found}.`)
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({
    operation: [
      "VipsForeignLoadJpegFile",
      "VipsForeignLoadPngFile",
      "VipsForeignLoadWebpFile",
      "VipsForeignLoadNsgifFile"
    ]
  })
  const open = (options: SharpOptions) =>
    sharp(file, { failOn: "error", limitInputPixels: imageAllFramesMaxPx, ...options })
  // Reads the header only: nothing is unpacked before its size is known.
  const {
    format,
    height,
    pageHeight,
    pages = 1,
    width
  } = await sharp(file, { limitInputPixels: false, animated: true }).metadata()
  const high = pageHeight ?? height
  if (format !== formats[found]) throw new Refusal("wrong_type", `It looks like ${found} and is read as ${format}.`)
  if (width > imageSideMaxPx || high > imageSideMaxPx)
    throw new Refusal("too_large", `It has ${width} × ${high} pixels; a side can have at most ${imageSideMaxPx}.`)
  if (pages > imageFramesMax)
    throw new Refusal("too_many_frames", `It has ${pages} frames; there may be ${imageFramesMax}.`)
  if (width * high * pages > imageAllFramesMaxPx)
    throw new Refusal(
      "too_large",
      `Its ${pages} frames have ${width * high * pages} pixels; all together can have at most ${imageAllFramesMaxPx}.`
    )
  return open
}

/** Upright, in sRGB, and without metadata. */
const develop = async ({
  contentType,
  file,
  image,
  thumbnail
}: Extract<ImageTask, { readonly _tag: "Develop" }>): Promise<ImageAnswer> => {
  const open = await openImage(file, contentType)
  const { pages = 1 } = await open({ animated: true }).metadata()
  const whole = pages > 1 ? open({ animated: true }) : open({}).autoOrient()
  const size =
    image === null
      ? null
      : await whole
          .resize({ width: webImageSidePx, height: webImageSidePx, fit: "inside", withoutEnlargement: true })
          .webp({ quality: 84, effort: pages > 1 ? 1 : 3 })
          .toFile(image)
  const small = await open({ pages: 1 })
    .autoOrient()
    .resize({ width: thumbnailSidePx, height: thumbnailSidePx, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 78 })
    .toFile(thumbnail)
  return {
    _tag: "Developed",
    width: (size ?? small).width,
    height: size === null ? small.height : (size.pageHeight ?? size.height)
  }
}

try {
  if (task._tag === "Sniff") tell({ _tag: "Sniffed", contentType: (await fileTypeFromFile(task.file))?.mime ?? null })
  else if (task._tag === "Develop") tell(await develop(task))
  else {
    const open = await openImage(task.file, null)
    process.stdout.write(
      await open({ pages: 1 }).autoOrient().resize(task.width, task.height, { fit: "cover" }).png().toBuffer()
    )
  }
} catch (cause) {
  if (task._tag === "Redraw") throw cause
  if (cause instanceof Refusal) tell({ _tag: "Refused", code: cause.code, detail: cause.message })
  else if (/ENOSPC|EROFS|EIO|No space left|Read-only/i.test(String(cause))) throw cause
  else
    tell({
      _tag: "Refused",
      code: "damaged",
      detail: `It can't be read: ${(cause instanceof Error ? cause.message : String(cause)).split("\n")[0]!.replaceAll(task.file, "the file").slice(0, 200)}`
    })
}
