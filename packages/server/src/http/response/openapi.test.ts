import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { routes } from '../../routes.ts'
import { addressOf, isFileOutput, redirectableFileOutput } from '../route.ts'
import { describeRoutes } from './openapi.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string }[]
  responses: Record<string, object>
}
const document = describeRoutes(routes) as { paths: Record<string, Record<string, Operation>> }

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('the document has every route with its statuses and path parameters', () => {
  for (const route of routes) {
    const address = addressOf(route).replace(/:(\w+)/g, '{$1}')
    const operation = document.paths[address]?.[route.method.toLowerCase()]
    const statuses = [
      route.status,
      ...(route.isUnfinished ? [202] : []),
      ...(route.output === redirectableFileOutput ? [302] : []),
      ...(isFileOutput(route.output) ? [206, 304] : []),
    ]
    const expected = [...new Set(statuses)].sort().map(String)
    expect([address, Object.keys(operation?.responses ?? {})]).toEqual([address, [...expected, '4XX']])
    const named = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(named).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  }
})

test('the document has redirects only for files that may be in a bucket', () => {
  const redirecting = Object.entries(document.paths)
    .filter(([, { get }]) => get && '302' in get.responses)
    .map(([address]) => address)
  const files = ['{upload_id}', '{secret}/{filename}']
  const owners = ['projects', 'groups']
  expect(redirecting.sort()).toEqual(
    owners.flatMap((owner) => files.map((file) => `/api/v4/${owner}/{id}/uploads/${file}`)).sort(),
  )
})

test('the document has unique operation ids', () => {
  const names = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  expect(new Set(names).size).toBe(names.length)
})
