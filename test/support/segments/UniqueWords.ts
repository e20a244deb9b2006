const digits = ["nil", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
let count = 0

/**
 * Words that no other script of this process has. Spelt out: the precheck takes a long random number for a card, a telephone number or a swear
 * word about once in a hundred times.
 */
export const unique = (): string =>
  String(++count)
    .split("")
    .map((digit) => digits[Number(digit)])
    .join(" ")
