import { useState } from 'react'
import { display } from '../../../data/display.ts'
import { texts } from '../texts.ts'

export const densities = [
  { value: 'comfortable', label: texts.comfortable },
  { value: 'compact', label: texts.compact },
] as const
export type Density = (typeof densities)[number]['value']

/** Columns that users can hide. */
export const optionalColumns = [
  { key: 'project', label: texts.project },
  { key: 'priority', label: texts.priority },
  { key: 'report_type', label: texts.reportType },
  { key: 'status', label: texts.status },
  { key: 'assignee', label: texts.assignee },
  { key: 'detected', label: texts.detected },
] as const
export type OptionalColumn = (typeof optionalColumns)[number]['key']

export interface ViewOptions {
  density: Density
  /** Columns that are not shown. A new column is shown to users who have hidden others before. */
  hidden: readonly OptionalColumn[]
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
  localStorage.setItem(key, JSON.stringify({ hidden: read().hidden }))
}

function read(): ViewOptions {
  const first: ViewOptions = { density: display.get().density, hidden: [] }
  try {
    const { density, hidden, columns } = JSON.parse(localStorage.getItem(key) ?? '{}')
    return {
      density: densities.find(({ value }) => value === density)?.value ?? first.density,
      hidden: Array.isArray(hidden) ? known(hidden) : Array.isArray(columns) ? notAmong(columns) : first.hidden,
    }
  } catch {
    return first
  }
}

const known = (keys: readonly unknown[]): OptionalColumn[] =>
  optionalColumns.flatMap(({ key }) => (keys.includes(key) ? [key] : []))

/** Reads what browsers stored before columns had keys: the labels of the shown ones, without the project. */
const notAmong = (labels: readonly unknown[]): OptionalColumn[] =>
  optionalColumns.flatMap(({ key, label }) => (key === 'project' || labels.includes(label) ? [] : [key]))
