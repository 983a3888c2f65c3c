import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readMapping } from './oidc-mapping.ts'
import { readSettings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'alcove-mapping-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(text: string): string {
  const path = join(folder, 'mapping.yml')
  writeFileSync(path, text)
  return path
}

test('a mapping is a list of rules, as YAML or JSON', () => {
  const rules = [
    { value: 'admins', administrator: true },
    { value: '/platform', claim: 'realm.roles', membership: { group: 'acme/platform', role: 'maintainer' } },
  ]
  const yaml = `
- value: admins
  administrator: true
- { value: /platform, claim: realm.roles, group: acme/platform, role: maintainer }
`
  expect(readMapping(file(yaml))).toEqual(rules)
  const { membership, ...rest } = rules[1] ?? {}
  expect(readMapping(file(JSON.stringify([rules[0], { ...rest, ...membership }])))).toEqual(rules)
})

test.each([
  ['a: 1', 'the file is not a list of rules'],
  ['- 1', 'rule 1 is not an object'],
  ['- { value: x }', 'rule 1 gives neither administrator nor a group'],
  ['- { administrator: true }', 'rule 1 has no value'],
  ['- { value: x, administrator: yes please }', 'rule 1: administrator can only be true'],
  ['- { value: x, group: acme }', 'rule 1 needs group and role together'],
  ['- { value: x, group: acme, role: boss }', 'rule 1 needs group and role together'],
  ['- { value: x, administrator: true, gruop: acme }', 'rule 1 has the unknown field "gruop"'],
])('the mapping %s is refused', (text, problem) => {
  expect(() => readMapping(file(text))).toThrow(problem)
})

test('an unusable mapping stops the start with a sentence that names the setting', () => {
  const environment = {
    ALCOVE_OIDC_PROVIDERS: 'corp',
    ALCOVE_OIDC_CORP_ISSUER: 'https://id.example.com',
    ALCOVE_OIDC_CORP_CLIENT_ID: 'alcove',
  }
  const read = (path: string) => () => readSettings({ ...environment, ALCOVE_OIDC_CORP_MAPPING_FILE: path })
  expect(read(file('- 1'))).toThrow(/^ALCOVE_OIDC_CORP_MAPPING_FILE is .*cannot be used: rule 1 is not an object\.$/)
  expect(read('/no/such/file')).toThrow(/^ALCOVE_OIDC_CORP_MAPPING_FILE is "\/no\/such\/file", which cannot be used/)
})
