const digits = ["nil", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
let count = 0

/**
 * Words that no other script of this process contains. Spelt out, because the precheck takes about one in a hundred long random
 * numbers for a card, a telephone number or a swear word.
 */
export const uniqueWords = (): string =>
  String(++count)
    .split("")
    .map((digit) => digits[Number(digit)])
    .join(" ")
