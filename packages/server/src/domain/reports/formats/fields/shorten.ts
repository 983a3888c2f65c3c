/** Shortens a text to a number of characters, including the final `...`; never splits a surrogate pair. */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  // Without surrogates, every code unit is a character. Entries for thousands of components repeat long texts.
  if (!surrogate.test(text.slice(0, maxCharacters + 1))) return `${text.slice(0, maxCharacters - 3)}...`
  let characters = 0
  let units = 0
  let cut = 0
  for (const character of text) {
    if (characters === maxCharacters - 3) cut = units
    if (characters === maxCharacters) return `${text.slice(0, cut)}...`
    characters++
    units += character.length
  }
  return text
}

const surrogate = /[\ud800-\udfff]/
