/** Maximum number of waiting findings that the server counts. */
const maxCounted = 10_000

/** Returns the number of findings that await promotion in words, such as `12 findings await promotion`. */
export function waitingInWords(findings: number): string {
  if (findings === 1) return '1 finding awaits promotion'
  return `${findings > maxCounted ? 'more than 10,000' : findings} findings await promotion`
}
