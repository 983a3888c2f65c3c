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
  { key: 'identifier', label: texts.identifier },
  { key: 'scanner', label: texts.scanner },
  { key: 'fix', label: texts.fixAvailable },
  { key: 'status', label: texts.status },
  { key: 'assignee', label: texts.assignee },
  { key: 'detected', label: texts.detected },
] as const
export type OptionalColumn = (typeof optionalColumns)[number]['key']

export interface ViewOptions {
  density: Density
  /** Columns that are not shown. A new column is shown to users who have hidden others before. */
  hidden: readonly OptionalColumn[]
  /** Chosen ones of the columns that are hidden unless the user chooses them. */
  shown: readonly OptionalColumn[]
}

/** Columns that are hidden unless the user chooses them, and in narrow windows. */
const extraColumns: readonly string[] = ['identifier', 'scanner', 'fix'] satisfies OptionalColumn[]

export const isExtra = (key: string): boolean => extraColumns.includes(key)

/** Returns true for a column that the options show. */
export const isShown = ({ hidden, shown }: ViewOptions, key: string): boolean =>
  isExtra(key) ? shown.some((other) => other === key) : !hidden.some((other) => other === key)

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
  localStorage.setItem(key, JSON.stringify({ ...read(), density: undefined }))
}

function read(): ViewOptions {
  const first: ViewOptions = { density: display.get().density, hidden: [], shown: [] }
  try {
    const { density, hidden, shown, columns } = JSON.parse(localStorage.getItem(key) ?? '{}')
    return {
      density: densities.find(({ value }) => value === density)?.value ?? first.density,
      hidden: Array.isArray(hidden) ? known(hidden) : Array.isArray(columns) ? notAmong(columns) : first.hidden,
      shown: Array.isArray(shown) ? known(shown) : first.shown,
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
