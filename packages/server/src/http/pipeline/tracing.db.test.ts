import { expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'
import { startReceiver } from '../../testing/stand-ins/receiver.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

test('the trace of a request is in its log lines and in the webhooks of the job that it queued', async () => {
  const log: Record<string, unknown>[] = []
  const server = await startServer({ log: (line) => log.push(line), settings: { webhooksReachPrivate: true } })
  const project = await server.project('acme/site')
  const receiver = await startReceiver()
  await server.admin.post(`/projects/${project.id}/hooks`, { url: receiver.url, vulnerability_events: true })
  const { id } = await server.vulnerability(project, { name: 'Flaw' })
  await server.runJobs()
  receiver.received.length = 0
  log.length = 0
  await server.admin.post(`/vulnerabilities/${id}/confirm`, undefined, { headers: { traceparent } })
  await server.runJobs()
  const lines = log.filter(({ msg }) => msg === 'request')
  expect(lines).toMatchObject([{ trace_id: traceId, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) }])
  const [, trace, span, flags] = String(receiver.received[0]?.headers['traceparent']).split('-')
  expect([trace, flags]).toEqual([traceId, '01'])
  expect(span).not.toBe(lines[0]?.['span_id'])

  log.length = 0
  await server.admin.get('/version', { headers: { traceparent: 'nonsense' } })
  expect(log[0]?.['trace_id']).toMatch(/^[0-9a-f]{32}$/)
})
