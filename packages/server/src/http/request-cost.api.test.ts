import { beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../testing/client.ts'
import { findExpensive } from '../testing/cost.ts'
import { startServer, type TestServer } from '../testing/server.ts'

/*
 * Sends requests with 16 KiB and 32 KiB in one header or in the URL, which is twice the limit of a connection: routing,
 * logs and conditional requests must cost the same as for plain text.
 */

let server: TestServer
let download: string

beforeAll(async () => {
  server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  const form = formWithFile('file', 'a.txt', 'content')
  const { body } = await server.admin.post(`/projects/${project.id}/uploads`, form)
  download = `/projects/${project.id}/uploads/${body.id}`
})

const filled = (part: string) => (size: number) => part.repeat(Math.ceil(size / part.length))
const plain = filled('plain text ')
const hostile = {
  commas: filled(','),
  tags: filled('"a",'),
  'weak tags': filled('W/'),
  ranges: (size: number) => `bytes=${filled('0-0,')(size)}`,
  'digits of a range': (size: number) => `bytes=${filled('1')(size)}-`,
  'spaces in a range': (size: number) => `bytes=${filled(' ')(size)}x`,
  spaces: (size: number) => `a${filled(' ')(size)}b`,
  'media types': filled('text/htm,'),
  slashes: filled('/'),
  dots: filled('.'),
  digits: filled('1'),
  colons: filled(':'),
  'percent signs': filled('%'),
  'encoded bytes': filled('%41'),
  semicolons: filled(';'),
  dates: filled('Sun, 06 Nov 1994 08:49:37 GMT '),
}
const options = { size: 16 * 1024 }

test.each([
  ...['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'accept', 'host'],
  ...['x-request-id', 'x-forwarded-for', 'x-forwarded-host', 'origin', 'content-type', 'x-gitlab-organization-id'],
])('reading the header %s costs no more than plain text', async (name) => {
  const run = async (value: string) => {
    const headers = { ...(name === 'if-range' && { range: 'bytes=0-1' }), [name]: value }
    await server.admin.get(download, { headers })
    await server.anonymous.get('/topics', { headers })
    await server.anonymous.get('//nowhere', { headers })
  }
  expect(await findExpensive({ run, plain, hostile }, options)).toEqual([])
})

test('reading an address costs no more than plain text', async () => {
  const escaped = filled('plain-text-')
  const run = async (path: string) => {
    await server.anonymous.get(`/projects/${path}`)
    await server.anonymous.get(`/projects/1/uploads/${path}`)
    await server.anonymous.get(`/topics?search=${path}`)
    await server.anonymous.get(`//${path}`)
  }
  const paths = {
    ...hostile,
    'encoded slashes': filled('%2F'),
    parameters: filled('a=1&'),
    'question marks': filled('?'),
    secrets: filled('private_token=a&'),
    'encoded names': filled('%70rivate_token=a&'),
    uploads: filled('uploads/'),
    'steps back': filled('../'),
  }
  const bare = Object.fromEntries(
    Object.entries(paths).map(([name, generate]) => [name, (size: number) => generate(size).replaceAll(' ', '+')]),
  )
  expect(await findExpensive({ run, plain: escaped, hostile: bare }, options)).toEqual([])
})
