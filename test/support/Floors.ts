/** Which files a floor of the house is made of, and what of the house they may import. */
export const floors: ReadonlyArray<{ readonly of: RegExp; readonly may: ReadonlyArray<RegExp> }> = [
  { of: /^schema\//, may: [/^schema\//] },
  { of: /^engine\/rules\//, may: [/^schema\//, /^engine\/rules\//, /^engine\/Limits\.ts$/] },
  { of: /^engine\/ports\//, may: [/^schema\//, /^engine\/ports\//] },
  { of: /^engine\/store\//, may: [/^schema\//, /^engine\/store\//, /^engine\/(Limits|Config)\.ts$/] },
  { of: /^engine\/[A-Z]\w+\.ts$/, may: [/^schema\//, /^engine\/ports\//, /^engine\/[A-Z]\w+\.ts$/] },
  { of: /^media\//, may: [/^schema\//, /^media\//, /^engine\/ports\//, /^engine\/(Limits|Config)\.ts$/] },
  { of: /^actors\/protocol\//, may: [/^schema\//, /^actors\/protocol\//] },
  { of: /^actors\//, may: [/^schema\//, /^engine\//, /^actors\//] },
  { of: /^http\/api\//, may: [/^schema\//, /^http\/api\//, /^engine\/Limits\.ts$/] },
  { of: /^http\/handlers\//, may: [/^schema\//, /^http\/(api|handlers)\//, /^http\/Send\.ts$/, /^actors\/protocol\//, /^actors\/Bus\.ts$/, /^engine\/(store|rules)\//, /^engine\/Limits\.ts$/] },
  { of: /^http\/pages\//, may: [/^http\/pages\//, /^schema\//] },
  { of: /^http\/main\.ts$/, may: [/./] },
  { of: /^http\/[A-Z]\w+\.ts$/, may: [/^schema\//, /^http\/(api|handlers)\//, /^http\/[A-Z]\w+\.ts$/, /^actors\/protocol\//, /^actors\/Bus\.ts$/, /^engine\//] },
  { of: /^(test|bench)\//, may: [/./] },
  { of: /^[\w.]+\.config\.ts$/, may: [/^$/] }
]
