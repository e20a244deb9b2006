import { InvalidField } from "../../schema/Problems.ts"

export const refuseField = (pointer: string, code: string, detail: string) =>
  new InvalidField({ detail, errors: [{ pointer, code, detail }] })
