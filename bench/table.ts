/** Prints rows in aligned columns; columns of numbers are aligned to the right. */
export function printTable(title: string, rows: readonly Readonly<Record<string, Cell>>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const texts = rows.map((row) => columns.map((column) => print(row[column])))
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...texts.map((cells) => cells[index]?.length ?? 0)),
  )
  const isRight = columns.map((_, index) => texts.every((cells) => /^[\d.,%–-]*$/.test(cells[index] ?? '')))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (isRight[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd()
  console.log(`\n${title}\n`)
  console.log(line(columns))
  console.log(line(widths.map((width) => '-'.repeat(width))))
  for (const cells of texts) console.log(line(cells))
}

export type Cell = string | number | undefined

/** Formats a number with three significant digits, the precision of the measurements. */
export function print(cell: Cell): string {
  if (typeof cell !== 'number') return cell ?? ''
  if (cell >= 100) return Math.round(cell).toLocaleString('en')
  return cell.toFixed(cell >= 10 ? 1 : 2)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Returns a percentile of values that are sorted in ascending order. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}
