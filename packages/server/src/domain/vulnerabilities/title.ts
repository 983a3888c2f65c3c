const maxTitle = 255

/** Returns the title of a vulnerability: the name of its finding, shortened to the maximum length. */
export function titleOf(name: string): string {
  const characters = [...name.trim()]
  return characters.length <= maxTitle ? characters.join('') : `${characters.slice(0, maxTitle - 3).join('')}...`
}
