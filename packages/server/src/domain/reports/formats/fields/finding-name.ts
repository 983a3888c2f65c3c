import type { ReportType } from '../../../findings/scales.ts'
import { locationText, reduceImage } from '../identity/fingerprints.ts'
import type { Identifier, JsonObject } from '../report.ts'
import { objectOf, textOf } from './json-fields.ts'

/** Derives a name for an unnamed finding, such as `CVE-2021-3449 in package-lock.json`. */
export function deriveName(reportType: ReportType, identifiers: readonly Identifier[], location: JsonObject): string {
  const ofType = (type: string) => identifiers.find(({ externalType }) => externalType.toLowerCase() === type)
  const what = (ofType('cve') ?? ofType('cwe') ?? identifiers[0])?.name ?? 'Unnamed finding'
  const where = describePlace(reportType, location)
  return where === '' ? what : `${what} in ${where}`
}

function describePlace(reportType: ReportType, location: JsonObject): string {
  switch (reportType) {
    case 'sast':
    case 'secret_detection':
    case 'dependency_scanning':
      return (textOf(location.file) ?? '').split('/').pop() ?? ''
    case 'container_scanning':
    case 'container_scanning_for_registry':
    case 'cluster_image_scanning': {
      const packageName = textOf(objectOf(objectOf(location.dependency)?.package)?.name)
      return [reduceImage(textOf(location.image) ?? ''), packageName].filter(Boolean).join(':')
    }
    case 'dast':
    case 'api_fuzzing':
      return textOf(location.path) ?? ''
    case 'coverage_fuzzing':
      return locationText(reportType, location).replace(/^:|:$/g, '').replace(/\s+/g, ' ').trim()
  }
}
