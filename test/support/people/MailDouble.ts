import { Context, Effect, Layer } from "effect"
import { Mail, MailFailed } from "../../../engine/ports/Mail.ts"

export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** All mails, and whether the mail server works. */
export class Post extends Context.Service<Post, { readonly letters: Array<Letter>; works: boolean }>()("test/Post") {
  static readonly layer = Layer.sync(Post, () => Post.of({ letters: [], works: true }))
}

export const MailDouble = Layer.effect(
  Mail,
  Effect.gen(function* () {
    const post = yield* Post
    return Mail.of({
      send: (letter) =>
        Effect.suspend(() => {
          if (!post.works) return Effect.fail(new MailFailed({ detail: "the mail server did not take the message" }))
          post.letters.push(letter)
          return Effect.void
        })
    })
  })
).pipe(Layer.provideMerge(Post.layer))

/** Waits for a mail and returns what `find` reads in it: a job sends mails. */
export const awaitMail = Effect.fnUntraced(function* <A>(find: (letters: ReadonlyArray<Letter>) => A | undefined) {
  const { letters } = yield* Post
  for (;;) {
    const found = find(letters)
    if (found !== undefined) return found
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

/** The code in the newest mail to an address. */
export const codeFor = (letters: ReadonlyArray<Letter>, to: string): string | undefined =>
  /Your code: (\d{6})/.exec(letters.findLast((letter) => letter.to === to)?.text ?? "")?.[1]
