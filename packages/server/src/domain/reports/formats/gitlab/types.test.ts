import { expect, test } from 'vitest'
import { readFrom } from '../../../../testing/reading.ts'
import type { ReportType } from '../../../findings/scales.ts'
import type { Major } from './versions.ts'

const code = { file: 'src/a.ts', start_line: 3, end_line: 4 }
const dependency = { package: { name: 'openssl' }, version: '3.0.1' }
const image = 'registry.example.com/app:1.2'
const request = { hostname: 'https://shop.example.com', path: '/login', method: 'POST', param: 'q' }
const pod = { namespace: 'shop', kind: 'Deployment', name: 'web', container_name: 'app' }

/** A valid location for each type. */
const places: [ReportType, object][] = [
  ['sast', code],
  ['secret_detection', { ...code, commit: { sha: '0123456' } }],
  ['dependency_scanning', { file: 'package-lock.json', dependency }],
  ['container_scanning', { dependency, operating_system: 'debian:12', image }],
  ['cluster_image_scanning', { dependency, image, kubernetes_resource: pod }],
  ['dast', request],
  ['api_fuzzing', request],
  ['coverage_fuzzing', { crash_address: '0x1', crash_type: 'Heap-buffer-overflow', crash_state: 'parse\nmain' }],
]

/** A report with only the required fields. */
function smallest(major: Major, type: ReportType, location: object | undefined) {
  const tool = { id: 'acme', name: 'Acme', version: '1.4.0', vendor: { name: 'Example Security' } }
  const isDynamic = type === 'dast' || type === 'api_fuzzing'
  return {
    version: major === 14 ? '14.1.3' : '15.2.4',
    scan: {
      ...(major === 15 && { analyzer: tool }),
      scanner: tool,
      type,
      status: 'success',
      start_time: '2026-03-01T10:00:00',
      end_time: '2026-03-01T10:00:09',
      ...(isDynamic && { scanned_resources: [{ method: 'GET', url: 'https://shop.example.com', type: 'url' }] }),
    },
    vulnerabilities: [
      {
        id: 'f-1',
        severity: 'High',
        identifiers: [{ type: 'acme_rule', name: 'Rule 1', value: 'one' }],
        location,
        ...(major === 14 && { category: type, cve: 'key', scanner: { id: 'acme', name: 'Acme' } }),
      },
    ],
    ...(major === 14 && type === 'dependency_scanning' && { dependency_files: [] }),
  }
}

test.for(places.flatMap(([type, location]) => ([14, 15] as const).map((major) => [type, major, location] as const)))(
  'a report of %s, %i.x, passes strict validation, and is rejected without a location',
  async ([reportType, major, location]) => {
    const report = await readFrom(smallest(major, reportType, location), { strict: true })
    expect(report).toMatchObject({
      format: 'gitlab',
      reportType,
      warnings: [],
      skipped: [],
      findings: [{ reportType, severity: 'high', scanner: { externalId: 'acme' }, location }],
    })
    const placeless = smallest(major, reportType, undefined)
    await expect(readFrom(placeless, { strict: true })).rejects.toThrow('is missing required keys: location')
  },
)
