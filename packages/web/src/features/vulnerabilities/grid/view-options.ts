import { useState } from 'react'
import { display } from '../../../data/display.ts'
import { texts } from '../texts.ts'

export const densities = [
  { value: 'comfortable', label: texts.comfortable },
  { value: 'compact', label: texts.compact },
] as const
export type Density = (typeof densities)[number]['value']

/** Columns that users can hide. */
export const optionalColumns: readonly string[] = [
  texts.priority,
  texts.reportType,
  texts.status,
  texts.assignee,
  texts.detected,
]

export interface ViewOptions {
  density: Density
  columns: readonly string[]
}

const key = 'alcove.vulnerability-view'

/** Columns and density of vulnerability lists, which are stored in this browser. */
export function useViewOptions(): [ViewOptions, (options: ViewOptions) => void] {
  const [options, setOptions] = useState(read)
  return [
    options,
    (next) => {
      localStorage.setItem(key, JSON.stringify(next))
      setOptions(next)
    },
  ]
}

/** Forgets the density of this browser, so that the setting of the user applies. */
export function forgetDensity(): void {
  localStorage.setItem(key, JSON.stringify({ columns: read().columns }))
}

function read(): ViewOptions {
  const first: ViewOptions = { density: display.get().density, columns: optionalColumns }
  try {
    const { density, columns } = JSON.parse(localStorage.getItem(key) ?? '{}')
    return {
      density: densities.find(({ value }) => value === density)?.value ?? first.density,
      columns: Array.isArray(columns) ? optionalColumns.filter((name) => columns.includes(name)) : first.columns,
    }
  } catch {
    return first
  }
}
