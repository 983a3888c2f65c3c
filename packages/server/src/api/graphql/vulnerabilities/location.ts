import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'

const fileFields = `
  blobPath: String
  file: String
  startLine: String
  endLine: String
  vulnerableClass: String
  vulnerableMethod: String`
const packageFields = `
  dependency: VulnerableDependency
  image: String
  operatingSystem: String`

export const locationTypes = `
"Where a vulnerability is; the type depends on the type of the report."
union VulnerabilityLocation = VulnerabilityLocationClusterImageScanning | VulnerabilityLocationContainerScanning
  | VulnerabilityLocationCoverageFuzzing | VulnerabilityLocationDast | VulnerabilityLocationDependencyScanning
  | VulnerabilityLocationGeneric | VulnerabilityLocationSast | VulnerabilityLocationSecretDetection
type VulnerabilityLocationSast {${fileFields}
}
type VulnerabilityLocationSecretDetection {${fileFields}
}
type VulnerabilityLocationCoverageFuzzing {${fileFields}
  crashAddress: String
  crashType: String
  stacktraceSnippet: String
}
type VulnerabilityLocationDependencyScanning {
  blobPath: String
  dependency: VulnerableDependency
  file: String
}
type VulnerabilityLocationContainerScanning {${packageFields}
  containerRepositoryUrl: String
}
type VulnerabilityLocationClusterImageScanning {${packageFields}
  kubernetesResource: VulnerableKubernetesResource
}
type VulnerabilityLocationDast {
  hostname: String
  param: String
  path: String
  requestMethod: String
}
type VulnerabilityLocationGeneric { description: String }
"A package with a vulnerability."
type VulnerableDependency {
  package: VulnerablePackage
  version: String
}
type VulnerablePackage {
  name: String
  path: String
}
type VulnerableKubernetesResource {
  "Always null: this server has no agents."
  agent: ClusterAgent
  clusterId: String
  containerName: String!
  kind: String!
  name: String!
  namespace: String!
}
type ClusterAgent {
  id: ID!
  name: String!
}`

type Location = Record<string, unknown>

/** Name of the location's type for each type of report. */
const typeNames: Readonly<Record<string, string>> = {
  sast: 'Sast',
  secret_detection: 'SecretDetection',
  coverage_fuzzing: 'CoverageFuzzing',
  dependency_scanning: 'DependencyScanning',
  container_scanning: 'ContainerScanning',
  container_scanning_for_registry: 'ContainerScanning',
  cluster_image_scanning: 'ClusterImageScanning',
  dast: 'Dast',
  api_fuzzing: 'Dast',
  generic: 'Generic',
}

/** Returns the location of a vulnerability in the shape of GitLab's schema. Values of other types become texts. */
export function viewLocation({ vulnerability, finding }: VulnerabilityWithFinding) {
  const location = finding.location as Location // it is a JSON object
  return {
    __typename: `VulnerabilityLocation${typeNames[vulnerability.reportType] ?? 'Generic'}`,
    file: text(location['file']),
    startLine: text(location['start_line']),
    endLine: text(location['end_line']),
    vulnerableClass: text(location['class']),
    vulnerableMethod: text(location['method']),
    crashAddress: text(location['crash_address']),
    crashType: text(location['crash_type']),
    stacktraceSnippet: text(location['stacktrace_snippet']),
    dependency: viewDependency(objectOf(location['dependency'])),
    image: text(location['image']),
    operatingSystem: text(location['operating_system']),
    kubernetesResource: viewResource(objectOf(location['kubernetes_resource'])),
    hostname: text(location['hostname']),
    path: text(location['path']),
    param: text(location['param']),
    requestMethod: text(location['method']),
    description: text(location['description']),
    // Alcove has no repositories.
    blobPath: null,
    containerRepositoryUrl: null,
  }
}

function viewDependency(dependency: Location | undefined) {
  if (!dependency) return null
  const named = objectOf(dependency['package'])
  return {
    version: text(dependency['version']),
    package: named ? { name: text(named['name']), path: text(named['path']) } : null,
  }
}

function viewResource(resource: Location | undefined) {
  if (!resource) return null
  return {
    clusterId: text(resource['cluster_id']),
    containerName: text(resource['container_name']) ?? '',
    kind: text(resource['kind']) ?? '',
    name: text(resource['name']) ?? '',
    namespace: text(resource['namespace']) ?? '',
  }
}

function objectOf(value: unknown): Location | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Location) : undefined // checked
}

function text(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
