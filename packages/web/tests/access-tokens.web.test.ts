import { generateKeyPairSync } from 'node:crypto'
/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../server/src/testing/client.ts'
import { accessProblems, dialogs, startWeb, type Web } from './web.ts'

let web: Web
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())

test('an access token of a project can be created, rotated and revoked', async () => {
  const project = await web.server.project('acme/site')
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open('/acme/site/-/settings/access_tokens', { as: maintainer })
  await page.getByText('There are no active tokens.').waitFor()

  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('pipeline')
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  await dialog.getByLabel('Expiration date').fill(soon)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const secret = await page.getByLabel('pipeline created.').inputValue()
  const headers = { 'private-token': secret }
  const reply = await web.server.anonymous.get('/personal_access_tokens/self', { headers })
  expect(reply.body).toMatchObject({ scopes: ['write_security_reports'], expires_at: soon })
  const row = page.getByRole('row', { name: /pipeline/ })
  await row.getByText('Developer').waitFor()
  await row.getByText('Expires in 5 days').waitFor()

  await row.getByRole('button', { name: 'Actions for pipeline' }).click()
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  await expect.poll(() => page.getByLabel('pipeline created.').inputValue()).not.toBe(secret)
  expect((await web.server.anonymous.get('/personal_access_tokens/self', { headers })).status).toBe(401)

  await row.getByRole('button', { name: 'Actions for pipeline' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('There are no active tokens.').waitFor()
})

test('a trust relation of a group can be added, edited and deleted', async () => {
  const project = await web.server.project('trusting/site')
  const group = project['namespace']
  const owner = await web.server.user('trusting-owner')
  await web.server.admin.post(`/groups/${group.id}/members`, { user_id: owner.user?.id, access_level: 50 })
  const page = await web.open('/groups/trusting/-/settings/access_tokens', { as: owner })
  await page.getByText('No trust relations').waitFor()
  await page.getByRole('button', { name: 'Add trust relation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('CI system').selectOption({ label: 'GitHub Actions' })
  await dialog.getByLabel('Claims', { exact: true }).fill('repository')
  await dialog.getByRole('button', { name: 'Add trust relation' }).click()
  await dialog.getByText('Write “claim = pattern” in line “repository”.').waitFor()
  await dialog.getByLabel('Claims', { exact: true }).fill('repository = trusting/*')
  await dialog.getByRole('button', { name: 'Add trust relation' }).click()
  await page.getByText('repository = trusting/*').waitFor()
  expect(await accessProblems(page)).toEqual([])
  const relations = async () => (await web.server.admin.get(`/groups/${group.id}/trust_relations`)).body
  expect(await relations()).toMatchObject([
    {
      name: 'GitHub Actions',
      issuer: 'https://token.actions.githubusercontent.com',
      audience: web.origin,
      claims: { repository: ['trusting/*'] },
      default_branch_claims: { ref_protected: ['true'] },
      access_level: 30,
      scopes: ['write_security_reports'],
    },
  ])

  await page.getByRole('button', { name: 'Actions for GitHub Actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await dialog.getByLabel('Claims for the default branch').fill('')
  await dialog.getByLabel('Role').selectOption({ label: 'Maintainer' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'Maintainer' }).waitFor()
  expect(await relations()).toMatchObject([{ default_branch_claims: {}, access_level: 40 }])

  await page.getByRole('button', { name: 'Actions for GitHub Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  expect(await accessProblems(page, dialogs)).toEqual([])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No trust relations').waitFor()
})

test('the keys of a trust relation can be read from a file, edited and replaced by an address', async () => {
  const project = await web.server.project('offline/site')
  const maintainer = await web.server.as('maintainer', project)
  const page = await web.open('/offline/site/-/settings/access_tokens', { as: maintainer })
  await page.getByRole('button', { name: 'Add trust relation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Claims', { exact: true }).fill('project_path = offline/*')
  await dialog.getByLabel('Keys (JWKS)', { exact: true }).fill('[]')
  await dialog.getByRole('button', { name: 'Add trust relation' }).click()
  await dialog.getByText('The keys are not a JSON Web Key Set.').waitFor()

  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'ES256', use: 'sig' }] }
  const file = { name: 'keys.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(jwks)) }
  await dialog.getByLabel('Read the keys from a file').setInputFiles(file)
  await expect.poll(() => dialog.getByLabel('Keys (JWKS)', { exact: true }).inputValue()).toContain('first')
  await dialog.getByRole('button', { name: 'Add trust relation' }).click()
  await page.getByText('project_path = offline/*').waitFor()
  const relations = async () => (await web.server.admin.get(`/projects/${project.id}/trust_relations`)).body
  expect(await relations()).toMatchObject([{ jwks: { keys: [{ kid: 'first' }] }, jwks_url: null }])

  await page.getByRole('button', { name: 'Actions for GitLab' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  expect(await dialog.getByLabel('Keys (JWKS)', { exact: true }).inputValue()).toContain('"kid": "first"')
  await dialog.getByLabel('Keys (JWKS)', { exact: true }).fill('')
  await dialog.getByLabel('Address of the keys (JWKS)').fill('https://gitlab.com/oauth/discovery/keys')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  expect(await relations()).toMatchObject([{ jwks: null, jwks_url: 'https://gitlab.com/oauth/discovery/keys' }])
})

test('the page fits a narrow screen with tokens and relations on it', async () => {
  const project = await web.server.project('narrow/site')
  const maintainer = await web.server.as('maintainer', project)
  const client = createClient(web.server.app, { token: maintainer.token ?? '' })
  await client.post(`/projects/${project.id}/access_tokens`, { name: 'pipeline', scopes: ['api'] })
  const terms = { name: 'GitLab', issuer: 'https://gitlab.com', audience: 'x', claims: { project_path: 'narrow/*' } }
  await client.post(`/projects/${project.id}/trust_relations`, terms)
  const page = await web.open('/narrow/site/-/settings/access_tokens', { as: maintainer, theme: 'dark', width: 360 })
  await page.getByText('project_path = narrow/*').waitFor()
  expect(await accessProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})
