import { hash } from 'node:crypto'
import type { ReportType } from '../../../findings/scales.ts'
import { type JsonObject, type Signature, type SignatureAlgorithm, signatureAlgorithms } from '../report.ts'
import { findingNamespace, nameUuid } from './uuid.ts'

/** SHA-1 in lower-case hex. */
export const sha1 = (text: string): string => hash('sha1', text)

export const identifierFingerprint = (type: string, value: string): string => sha1(`${type}:${value}`)

export const locationFingerprint = (reportType: ReportType, location: JsonObject, analyzerId?: string): string =>
  sha1(locationText(reportType, location, analyzerId))

/** Returns the text that identifies a location. Line numbers may be strings, which keeps them as written. */
export function locationText(reportType: ReportType, location: JsonObject, analyzerId = ''): string {
  const at = (...path: string[]) => printed(path.reduce<unknown>(property, location))
  switch (reportType) {
    case 'sast':
    case 'secret_detection':
      return `${at('file')}:${at('start_line')}:${at('end_line')}`
    case 'dependency_scanning': {
      const name = at('dependency', 'package', 'name')
      return `${at('file')}:${analyzerId.includes('python') ? normalizedPythonName(name) : name}`
    }
    case 'container_scanning':
    case 'container_scanning_for_registry':
      return `${reduceImage(at('image'))}:${at('dependency', 'package', 'name')}`
    case 'cluster_image_scanning': {
      const agentId = at('kubernetes_resource', 'agent_id')
      const place = `${reduceImage(at('image'))}:${at('dependency', 'package', 'name')}`
      return agentId ? `AGENT_${agentId}:${place}` : place
    }
    case 'dast':
    case 'api_fuzzing':
      return `${at('path')}:${at('method')}:${at('param')}`
    case 'coverage_fuzzing':
      return `${at('crash_type')}:${at('crash_state')}`
  }
}

export function findingUuid(
  reportType: ReportType,
  primaryFingerprint: string,
  place: string,
  projectId: number,
): string {
  return nameUuid(findingNamespace, `${reportType}-${primaryFingerprint}-${place}-${projectId}`)
}

/** Returns the signatures of a finding's `tracking`, best first; skips unknown algorithms. */
export function signaturesOf(tracked: Iterable<{ algorithm: string; value: string }>): Signature[] {
  const values = new Map<string, string[]>()
  for (const { algorithm, value } of tracked) {
    const known = values.get(algorithm)
    if (known) known.push(value)
    else values.set(algorithm, [value])
  }
  return signatureAlgorithms
    .filter((algorithm) => values.has(algorithm))
    .map((algorithm: SignatureAlgorithm) => ({ algorithm, sha: sha1((values.get(algorithm) ?? []).join('|')) }))
    .reverse()
}

export const signatureHex = (signature: Signature): string => `${signature.algorithm}:${signature.sha}`

/**
 * Removes the tag of an image unless it is a version: `app:latest` and `app:main` are one image, `alpine:3.7` and
 * `alpine:3.8` are two. Without a tag, it removes the text after the last colon or everything, as GitLab does, because
 * the fingerprints must be equal to GitLab's.
 */
export function reduceImage(image: string): string {
  const colon = image.lastIndexOf(':')
  const base = image.slice(0, Math.max(colon, 0))
  const tag = image.slice(colon + 1)
  return isVersion(tag) && !isHash(tag) ? image : base
}

/** Normalises a name by PEP 503: `Foo.Bar` and `foo-bar` are one package. */
export const normalizedPythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** Tests for a version by the rules of RubyGems. The length limit bounds the stack use of the expression. */
const isVersion = (tag: string): boolean =>
  tag.length <= 1000 && /^\s*$|^\s*[0-9]+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/.test(tag)

const isHash = (tag: string): boolean => /^[0-9a-f]{8,128}$/i.test(tag)

const property = (value: unknown, key: string): unknown =>
  // A cast, because `Object.hasOwn` does not narrow the type.
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined

const printed = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
