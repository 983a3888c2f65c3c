import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { expect, onTestFinished, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const audience = 'https://alcove.test'
const client = { client_id: 'pipeline', client_secret: 'secret-of-the-pipeline' }

/** Starts a real OpenID provider that issues tokens with the claims of a pipeline. */
async function startProvider(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  const provider = new Provider(issuer, {
    clients: [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'report', audience, accessTokenFormat: 'jwt', accessTokenTTL: 300 }),
      },
    },
    extraTokenClaims: () => ({ project_path: 'acme/site', ref_protected: 'true' }),
  })
  server.on('request', provider.callback())
  return issuer
}

test('a token of a real OpenID provider sends a report for the default branch', async () => {
  const issuer = await startProvider()
  const server = await startServer({ settings: { webhooksReachPrivate: true } })
  const project = await server.project('acme/site')
  const terms = { name: 'provider', issuer, audience, claims: { project_path: 'acme/*' } }
  const { body: relation } = await server.admin.post(`/projects/${project.id}/trust_relations`, terms)

  const issued = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, grant_type: 'client_credentials', resource: audience, scope: 'report' }),
  })
  const { access_token: token } = (await issued.json()) as { access_token: string } // of the token endpoint
  const report = formWithFile('file', 'report.json', JSON.stringify(sastReport([])))
  const sent = await server.anonymous.post(`/projects/${project.id}/security_reports`, report, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(sent).toMatchObject({ status: 201, body: { user_id: relation.user_id, ref: 'main' } })
})
