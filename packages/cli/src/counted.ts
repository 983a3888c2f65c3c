/** Returns a number with its noun, such as `1 finding` or `2 findings`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
