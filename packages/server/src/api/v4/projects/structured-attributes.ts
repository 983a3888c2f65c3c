import Type, { type TProperties } from 'typebox'
import type { GitlabValue } from '../../../domain/projects/gitlab-attribute.ts'
import { compileInput } from '../../../http/params/compile-input.ts'
import { flag, freeFormList, integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'

/** Reads the cleanup policy of a container registry, by the names of GitLab's response. */
export const readExpirationPolicy: (policy: RawParams) => GitlabValue = readerOf(
  'container_expiration_policy_attributes',
  {
    cadence: optional(oneOf(['1d', '7d', '14d', '1month', '3month'])),
    enabled: optional(flag()),
    keep_n: optional(nullable(integer({ minimum: 1 }))),
    older_than: optional(nullable(oneOf(['7d', '14d', '30d', '60d', '90d']))),
    name_regex: optional(nullable(text())),
    name_regex_delete: optional(nullable(text())),
    name_regex_keep: optional(nullable(text())),
  },
)

const readGroupDefaults = readerOf('default_branch_protection_defaults', {
  allowed_to_push: optional(freeFormList()),
  allow_force_push: optional(flag()),
  allowed_to_merge: optional(freeFormList()),
  developer_can_initial_push: optional(flag()),
  code_owner_approval_required: optional(flag()),
})

const readAccess = readerOf('default_branch_protection_defaults[allowed_to_push|allowed_to_merge][]', {
  access_level: integer({ minimum: 0, maximum: 60 }),
})

/** Reads how GitLab protects the default branches of new projects. */
export function readBranchProtection(defaults: RawParams): GitlabValue {
  return Object.fromEntries(
    Object.entries(readGroupDefaults(defaults)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((access) => readAccess(access as RawParams)) : value, // lists have only objects
    ]),
  )
}

/** Returns a function that validates the fields of an object, and reports problems by their names in forms. */
function readerOf(parameter: string, fields: TProperties): (raw: RawParams) => Record<string, GitlabValue> {
  const inForm = (name: string) => `${parameter}[${name}]`
  const names = new Map(Object.keys(fields).map((name) => [inForm(name), name]))
  const read = compileInput(
    Type.Object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [inForm(name), field]))),
  )
  return (raw) => {
    const input = read(Object.fromEntries(Object.entries(raw).map(([name, value]) => [inForm(name), value])))
    const values = input as Record<string, GitlabValue> // the fields above are values of JSON
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [names.get(name) ?? name, value]))
  }
}

/** User and password before the host of an address. Linear time: the last of the signs is found from the end. */
const credentials = /^([a-z][\w+.-]*:\/\/)?[^@:]*:.*@/is

/** Removes the user and password of an address, which GitLab never returns. */
export function withoutCredentials(url: string | null): GitlabValue {
  if (url === null) return null
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  // Other addresses are those of SSH, `user:password@host:path`, and malformed ones.
  if (!parsed || parsed.host === '') return url.replace(credentials, '$1')
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}
