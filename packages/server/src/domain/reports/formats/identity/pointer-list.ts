/** A compact list of JSON pointers to the entries of a report: `/vulnerabilities/1` differs from the next one by its number. */
export interface PointerList {
  /** Returns the ordinal of the added pointer. */
  push: (pointer: string) => number
  at: (ordinal: number) => string
}

const firstSlots = 1024
/** Marks a pointer that does not end with a number. It is stored as a prefix. */
const noNumber = 0xffffffff

export function startPointerList(): PointerList {
  /** Everything before the number. Consecutive pointers share it. */
  const prefixes: string[] = []
  let prefixOf = new Uint32Array(firstSlots)
  let numbers = new Uint32Array(firstSlots)
  let count = 0

  return {
    push(pointer) {
      if (count === numbers.length) {
        prefixOf = grown(prefixOf)
        numbers = grown(numbers)
      }
      const [, start = pointer, digits] = /^(.*\/)(0|[1-9]\d{0,8})$/s.exec(pointer) ?? []
      if (start !== prefixes.at(-1)) prefixes.push(start)
      prefixOf[count] = prefixes.length - 1
      numbers[count] = digits === undefined ? noNumber : Number(digits)
      return count++
    },
    at(ordinal) {
      const number = numbers[ordinal] ?? noNumber
      return `${prefixes[prefixOf[ordinal] ?? 0] ?? ''}${number === noNumber ? '' : number}`
    },
  }
}

function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}
