import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startIssuer } from '../../server/src/testing/stand-ins/issuer.ts'
import { startProcess } from '../../server/tests/process.ts'
import { addReport, openJob, readDocument, scriptsOf } from './pipelines.ts'

const token = 'token-of-the-administrator-for-identities'
const hasJq = (() => {
  try {
    return execFileSync('jq', ['--version']).length > 0
  } catch {
    return false
  }
})()

test.skipIf(!hasJq)('the commands in docs/ci-identity.md create identities, with which jobs send reports', async () => {
  const server = await startProcess({
    env: { ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_WEBHOOKS_ALLOW_PRIVATE: 'true' },
  })
  const create = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/api/v4${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()).id
  }
  const group = await create('/groups', { name: 'acme', path: 'acme' })
  await create('/projects', { name: 'site', path: 'site', namespace_id: group })

  const now = () => new Date().toISOString()
  const [gitlab, github] = [await startIssuer(now), await startIssuer(now)]
  const claims = { aud: server.url, sub: 'job' }
  const idToken = await gitlab.sign({ ...claims, project_path: 'acme/site' })
  const ofGitHub = await github.sign({ ...claims, repository: 'acme/site', repository_owner_id: '1234567' })
  const requests = createServer((request, response) => {
    const isOurs =
      request.url?.endsWith(`&audience=${server.url}`) && request.headers.authorization === 'Bearer request'
    response.end(JSON.stringify({ value: isOurs ? ofGitHub : '' }))
  })
  await new Promise<void>((resolve) => requests.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void requests.close())
  const { port } = requests.address() as AddressInfo // listens on TCP

  const job = await openJob()
  await addReport(job, 'semgrep', 'gl-sast-report.json')
  await addReport(job, 'codeql', 'results.sarif')
  const env = {
    ALCOVE: server.url,
    TOKEN: token,
    ALCOVE_ID_TOKEN: idToken,
    CI_COMMIT_REF_NAME: 'feature/gitlab',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    GITHUB_HEAD_REF: 'feature/github',
    GITHUB_REF_NAME: '12/merge',
  }
  const inThirtyDays = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const outputs: unknown[] = []
  for (const script of scriptsOf(await readDocument('docs/ci-identity.md'))) {
    const here = script
      .replaceAll('https://alcove.example.com', server.url)
      .replaceAll('https://gitlab.com', gitlab.url)
      .replaceAll('https://token.actions.githubusercontent.com', github.url)
      .replace(/"expires_at": "[\d-]+"/, `"expires_at": "${inThirtyDays}"`)
    const done = await job.run(here, env)
    expect(done, `${script}\n${done.stdout}${done.stderr}`).toMatchObject({ code: 0 })
    if (done.stdout !== '') outputs.push(JSON.parse(done.stdout))
  }
  expect(outputs).toMatchObject([
    { name: 'pipeline', token: expect.any(String), scopes: ['write_security_reports'] },
    { name: 'GitLab', issuer: gitlab.url },
    { status: 'done', ref: 'feature/gitlab', format: 'semgrep' },
    { name: 'GitHub', issuer: github.url },
    { status: 'done', ref: 'feature/github', format: 'sarif' },
  ])
})
