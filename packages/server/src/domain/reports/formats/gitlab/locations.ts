import type { ReportType } from '../../../findings/scales.ts'
import { type Check, ifObject, list, object, scalar, text } from '../problems/checks.ts'
import { plainTaggedImage, taggedImage } from './patterns.ts'
import type { Major } from './versions.ts'

/** Builds the check of a `location`. Without a report type it covers only the rules that all types share. */
export function locationCheck(major: Major, reportType: ReportType | undefined): Check {
  switch (reportType) {
    case undefined:
      return major === 14 ? ifObject({}) : object({})
    case 'sast':
      return object({ properties: codePlace })
    case 'secret_detection':
      return (major === 14 ? ifObject : object)({ required: ['commit'], properties: { ...codePlace, commit } })
    case 'dependency_scanning':
      return object({ required: ['file', 'dependency'], properties: { file: someText, dependency: dependency[major] } })
    case 'container_scanning':
    case 'container_scanning_for_registry':
      return object({
        required: ['dependency', 'operating_system', 'image'],
        properties: { dependency: dependency[major], operating_system: someText, ...images[major] },
      })
    case 'cluster_image_scanning':
      return object({
        required: ['dependency', 'image', 'kubernetes_resource'],
        properties: {
          dependency: dependency[major],
          operating_system: shortText,
          image: someText,
          kubernetes_resource: kubernetesResource,
        },
      })
    case 'dast':
    case 'api_fuzzing':
      return object({ properties: { hostname: anyText, method: anyText, param: anyText, path: anyText } })
    case 'coverage_fuzzing':
      return object({
        properties: { crash_address: anyText, crash_state: anyText, crash_type: anyText, stacktrace_snippet: anyText },
      })
  }
}

const anyText = text()
const someText = text({ min: 1 })
const shortText = text({ min: 1, max: 255 })

const codePlace = {
  file: anyText,
  start_line: scalar('number'),
  end_line: scalar('number'),
  class: anyText,
  method: anyText,
}

const commit = object({
  required: ['sha'],
  properties: { author: anyText, date: anyText, message: anyText, sha: someText },
})

export const dependency: Record<Major, Check> = {
  14: object({
    properties: {
      package: object({ properties: { name: anyText } }),
      version: anyText,
      iid: scalar('number'),
      direct: scalar('boolean'),
      dependency_path: list(object({ required: ['iid'], properties: { iid: scalar('number') } })),
    },
  }),
  15: object({
    required: ['package', 'version'],
    properties: {
      package: object({ required: ['name'], properties: { name: anyText } }),
      version: anyText,
      direct: scalar('boolean'),
    },
  }),
}

const images: Record<Major, Record<string, Check>> = {
  14: {
    image: text({ min: 1, pattern: taggedImage }),
    default_branch_image: text({ max: 255, pattern: plainTaggedImage }),
  },
  15: { image: someText, default_branch_image: text({ max: 255 }) },
}

const kubernetesResource = object({
  required: ['namespace', 'kind', 'name', 'container_name'],
  properties: {
    namespace: shortText,
    kind: shortText,
    name: shortText,
    container_name: shortText,
    agent_id: shortText,
    cluster_id: shortText,
  },
})
