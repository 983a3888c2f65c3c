import { RequestFailed } from '@alcove/client'
import { describe, expect, test } from 'vitest'
import { readDraft, withField } from './hook-draft.ts'

function formOf(entries: readonly (readonly [string, string])[]): FormData {
  const form = new FormData()
  for (const [name, value] of [['url', ' https://receiver.example '], ['format', 'gitlab'], ...entries] as const) {
    form.append(name, value)
  }
  return form
}

describe('the form of a webhook', () => {
  test('sets every event of the place, and no other', () => {
    const form = formOf([
      ['upload_events', 'on'],
      ['topic_events', 'on'],
    ])
    expect(readDraft(form, 'project')).toEqual({
      url: 'https://receiver.example',
      name: null,
      description: null,
      format: 'gitlab',
      min_severity: null,
      saved_view_id: null,
      states: [],
      refs: [],
      vulnerability_events: false,
      import_events: false,
      upload_events: true,
      member_events: false,
      token_events: false,
      resource_access_token_events: false,
      enable_ssl_verification: false,
    })
    expect(readDraft(form, 'instance')).toMatchObject({ topic_events: true, project_ids: [] })
  })

  test('leaves out empty secrets, and removes a token on request', () => {
    const form = formOf([
      ['token', ''],
      ['signing_token', 'ignored'],
      ['remove_signing_token', 'on'],
      ['custom_headers key', ''],
      ['custom_headers value', ''],
      ['url_variables key', ' team '],
      ['url_variables value', ' with spaces '],
    ])
    const draft = readDraft(form, 'group')
    expect(draft).toMatchObject({
      signing_token: null,
      url_variables: [{ key: 'team', value: ' with spaces ' }],
    })
    for (const name of ['token', 'custom_headers']) expect(draft).not.toHaveProperty(name)
  })

  test('splits refs at commas', () => {
    expect(readDraft(formOf([['refs', 'main, release/*,,']]), 'project').refs).toEqual(['main', 'release/*'])
  })
})

describe('an error of the server', () => {
  test.for([
    ['Invalid url given', 'url'],
    ['Custom headers validation failed', 'custom_headers'],
    ['Illegal key or value', 'url_variables'],
    ['custom_headers[0][key] is missing', 'custom_headers'],
    ['min_severity does not have a valid value', 'min_severity'],
  ] as const)('"%s" belongs to the field %s', ([message, field]) => {
    expect(withField(new RequestFailed(422, message))).toMatchObject({ message, fields: { [field]: message } })
  })

  test('about the whole webhook has no field', () => {
    const error = new RequestFailed(422, 'Maximum number of instance hooks (50) exceeded')
    expect(withField(error)).toBe(error)
  })
})
