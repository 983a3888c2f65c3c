import { describe, expect, test } from 'vitest'
import type { ReportType } from '../../../findings/scales.ts'
import type { JsonObject } from '../report.ts'
import {
  findingUuid,
  identifierFingerprint,
  locationFingerprint,
  locationText,
  normalizedPythonName,
  reduceImage,
  signatureHex,
  signaturesOf,
} from './fingerprints.ts'
import { findingNamespace, nameUuid } from './uuid.ts'

const dependency = (name: string) => ({ dependency: { package: { name }, version: '1' } })
const image = 'registry.example.com/app:latest'

const vectors: [ReportType, string, string, JsonObject, string, string, string, string][] = [
  [
    'sast',
    'semgrep_id',
    'rules.example.sqli',
    { file: 'app/models/user.rb', start_line: 10, end_line: 12 },
    'app/models/user.rb:10:12',
    '0e6f308042f3f888c4395e250591206bc9372157',
    '15467a642a248bbcaf75c47c771c85a12a109027',
    '8461bcd9-5a49-5996-abfc-abfe87fe20e3',
  ],
  [
    'sast',
    'semgrep_id',
    'rules.example.sqli',
    { file: 'app/models/user.rb', start_line: 10 },
    'app/models/user.rb:10:',
    '0e6f308042f3f888c4395e250591206bc9372157',
    '13c31a8c08649324f60fe604742d68cdc44405da',
    'b4b3e9e4-eda5-51d3-a7c6-b6c4306de923',
  ],
  [
    'secret_detection',
    'gitleaks_rule_id',
    'Example token',
    { file: 'config/app.yml', start_line: 5, end_line: 5 },
    'config/app.yml:5:5',
    '357ee97960ed6dfaa434e1951542036959a63f3c',
    'adb32211872731e03e9b4a44ea0ceb697dfc444c',
    '07dd8f10-7c22-57ca-899c-0ec14f727e84',
  ],
  [
    'dependency_scanning',
    'cve',
    'CVE-2099-0001',
    { file: 'Gemfile.lock', ...dependency('rack') },
    'Gemfile.lock:rack',
    '0c1e301b9e8b60caf841182e98556ed8d1f28091',
    '3afa402bcec901ab151e8151dd5b80803cf21686',
    '515d8316-3c7c-57b7-b0ea-bd8d9fd906be',
  ],
  [
    'container_scanning',
    'cve',
    'CVE-2099-0001',
    { image, operating_system: 'debian', ...dependency('openssl') },
    'registry.example.com/app:openssl',
    '0c1e301b9e8b60caf841182e98556ed8d1f28091',
    'f8ebfc450fb5422507c790fd04a3c516d114fbe8',
    '74427ac7-cf32-519c-80a5-16931a308f09',
  ],
  [
    'cluster_image_scanning',
    'cve',
    'CVE-2099-0001',
    { image, kubernetes_resource: { agent_id: '7', cluster_id: '2', namespace: 'n' }, ...dependency('openssl') },
    'AGENT_7:registry.example.com/app:openssl',
    '0c1e301b9e8b60caf841182e98556ed8d1f28091',
    'c9678fa965846926c98a1fd3657dcabdf7578fc5',
    '27ec0284-61e7-5a78-bce3-fca678a4ec70',
  ],
  [
    'dast',
    'zap_id',
    '40012',
    { hostname: 'https://example.com', path: '/login', method: 'POST', param: 'q' },
    '/login:POST:q',
    '457ea0f9f0695ddc39bcfa88b46d54591940a25e',
    '462e16d16cfc3d2456bb3ec7a366fcdb781eb911',
    '5ecc7051-5b2c-5121-8c34-2dc37327230b',
  ],
  [
    'api_fuzzing',
    'api_fuzzing',
    'JsonCheck',
    { path: '/login', method: 'POST', param: 'q' },
    '/login:POST:q',
    '7be276db66268c6ae448e3c29d0e353e4c5e1d94',
    '462e16d16cfc3d2456bb3ec7a366fcdb781eb911',
    '4efcd0e7-9b29-5c1c-b5ac-0fe9f20e3d42',
  ],
  [
    'coverage_fuzzing',
    'libfuzzer',
    'heap-1',
    { crash_address: '0x1', crash_type: 'Heap-Buffer-overflow', crash_state: 'func_a+0xa\nfunc_b+0xb' },
    'Heap-Buffer-overflow:func_a+0xa\nfunc_b+0xb',
    '717aa68d4330125dc21191b45c3e920320a0a747',
    '23dd2250f6ea23a64a59730cbcc49247fcba2ad5',
    'fbc30879-472b-585c-8623-c6bb087b25ed',
  ],
]

test.for(vectors)('%s %s:%s has GitLab’s fingerprints and uuid', (vector) => {
  const [reportType, type, value, location, text, identifierPrint, locationPrint, uuid] = vector

  expect(locationText(reportType, location)).toBe(text)
  expect(identifierFingerprint(type, value)).toBe(identifierPrint)
  expect(locationFingerprint(reportType, location)).toBe(locationPrint)
  expect(findingUuid(reportType, identifierPrint, locationPrint, 42)).toBe(uuid)
})

describe('signatures', () => {
  const scopeOffset = { algorithm: 'scope_offset', value: 'app/models/user.rb|User[0]|find_it[0]:3' }

  test('replace the location in the uuid by the best one', () => {
    const [best] = signaturesOf([{ algorithm: 'hash', value: 'x' }, scopeOffset])
    const place = best && signatureHex(best)
    expect(place).toBe('scope_offset:8c1b74fab5c6707b000ff1fbb74db25df0e4e448')
    expect(findingUuid('sast', identifierFingerprint('semgrep_id', 'rules.example.sqli'), place ?? '', 42)).toBe(
      '12ecb630-993b-5e45-adc9-fb463543efc2',
    )
  })

  test('join the values of several items and skip unknown algorithms', () => {
    const both = signaturesOf([
      { algorithm: 'hash', value: 'a' },
      { algorithm: 'tea_leaves', value: 'b' },
      { algorithm: 'hash', value: 'c' },
      { algorithm: 'constructor', value: 'd' },
    ])
    expect(both).toEqual(signaturesOf([{ algorithm: 'hash', value: 'a|c' }]))
    expect(both).toHaveLength(1)
  })
})

test.for([
  ['alpine:3.7', 'alpine:3.7'],
  ['alpine:1.0.0-beta', 'alpine:1.0.0-beta'],
  ['app:latest', 'app'],
  ['app:v1.2.3', 'app'],
  ['app:12345019', 'app'],
  ['app:da39a3ee5e6b4b0d3255bfef95601890afd80709', 'app'],
  ['app:1234567', 'app:1234567'],
  ['h:5000/g/app:latest', 'h:5000/g/app'],
  ['app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'app@sha256'],
  ['alpine', ''],
  ['h:5000/app', 'h'],
])('the image %s is reduced to "%s"', ([image = '', reduced = '']) => {
  expect(reduceImage(image)).toBe(reduced)
})

test('a very long tag is not a version, and is parsed quickly', () => {
  expect(reduceImage(`app:1${'.1'.repeat(1_000_000)}`)).toBe('app')
})

test('Python package names are normalized for gemnasium-python', () => {
  expect(normalizedPythonName('Foo__Bar.-baz')).toBe('foo-bar-baz')
  const location = { file: 'requirements.txt', ...dependency('Flask_Login') }
  expect(locationText('dependency_scanning', location, 'gemnasium-python')).toBe('requirements.txt:flask-login')
  expect(locationText('dependency_scanning', location, 'gemnasium')).toBe('requirements.txt:Flask_Login')
})

test('a registry scan has the location text of a pipeline scan', () => {
  const location = { image, ...dependency('openssl') }
  expect(locationText('container_scanning_for_registry', location)).toBe('registry.example.com/app:openssl')
})

test('name uuids equal GitLab’s', () => {
  expect(nameUuid(findingNamespace, 'GitLab')).toBe('4961388b-9d8e-5da0-a499-3ef5da58daf0')
  expect(nameUuid('a6930898-a1b2-4365-ab18-12aa474d9b26', 'GitLab')).toBe('dd190b37-7754-5c7c-80a0-85621a5823ad')
  expect(nameUuid('a143e9e2-41b3-47bc-9a19-081d089229f4', 'GitLab')).toBe('5b593e54-90f5-504b-8805-5394a4d14b94')
})
