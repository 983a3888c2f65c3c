import { createClient } from '@alcove/client'
import { expect, test } from 'vitest'
import { comparison, listedFinding } from '../testing/results.ts'
import { listFindings } from './listed-findings.ts'

test('every finding of a ref is listed, also when there are more than 10,000', async () => {
  const pages = 103
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = new URL(String(input))
    const page = Number(url.searchParams.get('cursor') ?? 0)
    const rows = Array.from({ length: 100 }, (_, index) => listedFinding({ uuid: `${page}-${index}` }))
    url.searchParams.set('cursor', String(page + 1))
    return Response.json(rows, { headers: page + 1 < pages ? [['link', `<${url}>; rel="next"`]] : [] })
  }
  const client = createClient({ origin: 'https://alcove.example.com', fetch })
  const lists = await listFindings(client, { project: 'shop/api', ref: 'main', comparison: comparison({ ref: null }) })
  expect([lists.known.length, lists.isComplete]).toEqual([pages * 100, true])
})
