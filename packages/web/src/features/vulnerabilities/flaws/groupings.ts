import { texts } from '../texts.ts'

export const groupings = [
  { value: '', label: texts.notGrouped },
  { value: 'flaw', label: texts.grouped },
] as const
