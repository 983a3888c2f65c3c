import { nullableString } from '../views.ts'

/** Package URL of a finding. */
export const packageUrl = {
  ...nullableString,
  description: 'Canonical package URL. Null if the finding is not in a package, or its ecosystem is unknown',
}
