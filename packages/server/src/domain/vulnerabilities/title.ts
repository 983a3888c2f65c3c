const maxTitle = 255

/** A title is a finding's name, cut to what a title may have. */
export function titleOf(name: string): string {
  const characters = [...name.trim()]
  return characters.length <= maxTitle ? characters.join('') : `${characters.slice(0, maxTitle - 3).join('')}...`
}
