import { expect, test } from 'vitest'
import { compareRows, type RowWindow } from './compare-rows.ts'

interface Row {
  id: number
}

function rowsOf(ids: readonly number[], edges: Partial<RowWindow<Row>> = {}): RowWindow<Row> {
  return { rows: ids.map((id) => ({ id })), isAtStart: true, isAtEnd: false, ...edges }
}

function compared(shown: RowWindow<Row>, latest: RowWindow<Row>) {
  const { added, gone } = compareRows(shown, latest)
  return { added: added.map(({ id }) => id), gone: gone.map(({ id }) => id) }
}

test('a new row that pushes the last one out of the window is added, and no row is gone', () => {
  expect(compared(rowsOf([1, 2, 3]), rowsOf([9, 1, 2]))).toEqual({ added: [9], gone: [] })
  expect(compared(rowsOf([1, 2, 3]), rowsOf([1, 9, 2]))).toEqual({ added: [9], gone: [] })
})

test('a row that leaves is gone, and the row that follows the window is not new', () => {
  expect(compared(rowsOf([1, 2, 3]), rowsOf([1, 3, 4]))).toEqual({ added: [], gone: [2] })
})

test('rows that shift past the start of a window are neither new nor gone', () => {
  const middle = { isAtStart: false }
  expect(compared(rowsOf([4, 5, 6], middle), rowsOf([3, 4, 5], middle))).toEqual({ added: [], gone: [] })
  expect(compared(rowsOf([4, 5, 6], middle), rowsOf([3, 4, 9], middle))).toEqual({ added: [], gone: [] })
})

test('at the end of the list, new and gone rows are known', () => {
  const whole = { isAtEnd: true }
  expect(compared(rowsOf([1, 2], whole), rowsOf([1, 2, 3], whole))).toEqual({ added: [3], gone: [] })
  expect(compared(rowsOf([1, 2], whole), rowsOf([1], whole))).toEqual({ added: [], gone: [2] })
})

test('a window without any of the shown rows is new', () => {
  expect(compared(rowsOf([1, 2]), rowsOf([8, 9])).added).toEqual([8, 9])
})

test('a changed order adds and removes nothing', () => {
  expect(compared(rowsOf([1, 2, 3]), rowsOf([3, 2, 1]))).toEqual({ added: [], gone: [] })
})
