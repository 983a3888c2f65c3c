import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { removeObsoleteInventories } from '../../../domain/dependencies/inventories.ts'
import { deleteProject } from '../../../domain/projects/projects.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const bom = (
  components: object[],
  { name = 'shop', vulnerabilities }: { name?: string; vulnerabilities?: object[] } = {},
) =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { tools: [{ name: 'Example SBOM', vendor: 'Example' }], component: { type: 'application', name } },
    components,
    ...(vulnerabilities && { vulnerabilities }),
  })

const component = (name: string, version: string, { license = 'MIT', type = 'npm' } = {}) => ({
  type: 'library',
  name,
  version,
  'bom-ref': `${name}@${version}`,
  purl: `pkg:${type}/${encodeURIComponent(name).replaceAll('%2F', '/')}@${version}`,
  licenses: [{ license: { id: license } }],
})

const flaw = (id: string, ref: string) => ({ id, ratings: [{ severity: 'high' }], affects: [{ ref }] })

interface Listed {
  name: string
  version: string
  vulnerabilities: { name: string; severity: string; id: number; url: string }[]
}

let server: TestServer
const namesIn = async (project: TestProject, query = '') => {
  const { status, body } = await server.admin.get(`/projects/${project.id}/dependencies?${query}`)
  expect(status).toBe(200)
  return body.map(({ name, version }: Listed) => `${name} ${version}`)
}

beforeAll(async () => {
  server = await startServer()
})

describe('the dependencies of a project', () => {
  test('are the components of a bill of materials, with licenses and vulnerabilities', async () => {
    const project = await server.project('acme/shop')
    const components = [component('lodash', '4.17.20'), component('@acme/core', '1.0.0', { license: 'Apache-2.0' })]
    await server.report(project, bom(components, { vulnerabilities: [flaw('CVE-2099-1', 'lodash@4.17.20')] }))
    const { status, body, headers } = await server.admin.get(`/projects/${project.id}/dependencies`)
    const [vulnerability] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    expect([status, headers['x-total']]).toEqual([200, '2'])
    expect(body).toEqual([
      {
        name: '@acme/core',
        version: '1.0.0',
        package_manager: 'npm',
        dependency_file_path: '',
        vulnerabilities: [],
        licenses: [{ name: 'Apache-2.0', url: 'https://spdx.org/licenses/Apache-2.0.html' }],
        package_url: 'pkg:npm/%40acme/core@1.0.0',
      },
      {
        name: 'lodash',
        version: '4.17.20',
        package_manager: 'npm',
        dependency_file_path: '',
        vulnerabilities: [
          { name: vulnerability.title, severity: 'high', id: vulnerability.id, url: vulnerability.web_url },
        ],
        licenses: [{ name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' }],
        package_url: 'pkg:npm/lodash@4.17.20',
      },
    ])
  })

  test('can be filtered and paged', async () => {
    const project = await server.project('acme/filters')
    const components = [
      component('alpha', '1'),
      component('beta', '1', { license: 'GPL-2.0-only' }),
      component('gamma', '1', { type: 'pypi' }),
    ]
    await server.report(project, bom(components))
    expect(await namesIn(project, 'search=LPH')).toEqual(['alpha 1'])
    expect(await namesIn(project, 'license=GPL-2.0-only')).toEqual(['beta 1'])
    expect(await namesIn(project, 'license=GPL')).toEqual([])
    expect(await namesIn(project, 'package_manager=pip,go')).toEqual(['gamma 1'])
    expect(await namesIn(project, 'per_page=1&page=2')).toEqual(['beta 1'])
    expect(await namesIn(project, 'ref=other')).toEqual([])
    const { status } = await server.admin.get(`/projects/${project.id}/dependencies?package_manager=make`)
    expect(status).toBe(400)
  })

  test('are replaced by the next report of the same source and ref only', async () => {
    const project = await server.project('acme/sources')
    await server.report(project, bom([component('old', '1')]))
    await server.report(project, bom([component('web', '1')], { name: 'web' }))
    await server.report(project, bom([component('branch', '1')]), { ref: 'feature' })
    await server.report(project, bom([component('new', '1')]))
    expect(await namesIn(project)).toEqual(['new 1', 'web 1'])
    expect(await namesIn(project, 'ref=feature')).toEqual(['branch 1'])

    const inventories = () =>
      server.deps.db.one<{ total: number }>(sql`
        select count(*) as total from inventories where project_id = ${project.id}`)
    expect(await inventories()).toEqual({ total: 4 })
    await removeObsoleteInventories(server.deps)
    expect(await inventories()).toEqual({ total: 3 })
    expect(await namesIn(project)).toEqual(['new 1', 'web 1'])
  })

  test('of a bill without vulnerabilities leave the findings as they are', async () => {
    const project = await server.project('acme/plain')
    const components = [component('lodash', '4')]
    await server.report(project, bom(components, { vulnerabilities: [flaw('CVE-2099-1', 'lodash@4')] }))
    const report = await server.report(project, bom(components))
    expect(report.warnings.map(({ message }: { message: string }) => message).join()).toContain('no vulnerabilities')
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body).toMatchObject([{ resolved_on_default_branch: false }])
  })

  test('disappear when their ref is deleted, and with their project', async () => {
    const project = await server.project('acme/closed')
    await server.report(project, bom([component('branch', '1')]), { ref: 'feature' })
    await server.report(project, bom([component('main', '1')]))
    expect((await server.admin.delete(`/projects/${project.id}/refs/feature`)).status).toBe(204)
    await server.runJobs()
    expect(await namesIn(project, 'ref=feature')).toEqual([])
    expect(await namesIn(project)).toEqual(['main 1'])

    await deleteProject(server.deps, project.id)
    const left = await server.deps.db.all(sql`select id from inventories where project_id = ${project.id}`)
    expect(left).toEqual([])
  })

  test('are also read from SPDX and from dependency files of GitLab', async () => {
    const project = await server.project('acme/spdx')
    const packages = [
      {
        SPDXID: 'SPDXRef-a',
        name: 'lodash',
        versionInfo: '4',
        licenseDeclared: 'MIT',
        externalRefs: [{ referenceType: 'purl', referenceLocator: 'pkg:npm/lodash@4' }],
      },
    ]
    const spdx = { spdxVersion: 'SPDX-2.3', name: 'shop', creationInfo: { creators: ['Tool: sbom-1.0'] }, packages }
    await server.report(project, JSON.stringify(spdx))
    const dependency_files = [
      { path: 'Gemfile.lock', package_manager: 'bundler', dependencies: [{ package: { name: 'rack' }, version: '2' }] },
    ]
    const scan = {
      scanner: { id: 'gemnasium', name: 'Gemnasium', vendor: { name: 'GitLab' } },
      type: 'dependency_scanning',
    }
    await server.report(project, JSON.stringify({ version: '14.1.0', vulnerabilities: [], scan, dependency_files }))
    const { body } = await server.admin.get(`/projects/${project.id}/dependencies`)
    expect(body).toMatchObject([
      { name: 'lodash', package_manager: 'npm', licenses: [{ name: 'MIT' }] },
      { name: 'rack', package_manager: 'bundler', dependency_file_path: 'Gemfile.lock', package_url: 'pkg:gem/rack@2' },
    ])
  })

  test('have the names and addresses of their own reports', async () => {
    const hidden = await server.project('secretive/hidden')
    const shown = await server.project('acme/shown')
    const purl = 'pkg:npm/shared-name@1'
    await server.report(hidden, bom([{ type: 'library', name: 'code name of hidden', version: '1', purl }]))
    await server.report(hidden, bom([{ type: 'library', name: 'other', version: '2', purl }], { name: 'second' }))
    await server.report(shown, bom([component('shared-name', '1'), component('shared-name', '2')]))
    const developer = await server.as('developer', shown)
    const expected = ['1', '2'].map((version) => ({
      ...{ name: 'shared-name', version, package_url: `pkg:npm/shared-name@${version}` },
    }))
    expect((await developer.get(`/projects/${shown.id}/dependencies`)).body).toMatchObject(expected)
    expect((await developer.get('/dependencies?search=shared-name')).body).toMatchObject(expected)
    expect((await developer.get('/dependencies?search=hidden')).body).toEqual([])
  })

  test('are for developers', async () => {
    const project = await server.project('acme/roles')
    const read = async (role: 'outsider' | 'guest' | 'reporter' | 'developer') =>
      (await (await server.as(role, project)).get(`/projects/${project.id}/dependencies`)).status
    expect([await read('outsider'), await read('guest'), await read('reporter'), await read('developer')]).toEqual([
      404, 403, 403, 200,
    ])
    expect((await server.anonymous.get(`/projects/${project.id}/dependencies`)).status).toBe(401)
  })
})

describe('the dependencies of a group', () => {
  test('are the packages of its readable projects, with licenses and counts', async () => {
    const one = await server.project('bundle/one')
    const two = await server.project('bundle/two')
    await server.project('bundle-other/three').then((other) => server.report(other, bom([component('elsewhere', '1')])))
    await server.report(one, bom([component('shared', '1'), component('Own', '2', { license: 'ISC' })]))
    await server.report(one, bom([component('branch', '1')]), { ref: 'feature' })
    await server.report(two, bom([component('shared', '1'), component('python', '3', { type: 'pypi' })]))
    await server.report(two, bom([component('shared', '1')], { name: 'second' }))
    const list = (client: typeof server.admin, query = '') => client.get(`/groups/bundle/dependencies?${query}`)
    const { status, headers, body } = await list(server.admin)
    expect([status, headers['x-total']]).toEqual([200, '3'])
    const mit = [{ name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' }]
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['Own', 'python', 'shared'])
    expect(body[2]).toEqual({
      ...{ name: 'shared', version: '1', package_manager: 'npm', licenses: mit, occurrence_count: 3, project_count: 2 },
      package_url: 'pkg:npm/shared@1',
      projects: [one, two].map((project) => ({
        ...{ id: project.id, name: project['name'], web_url: project['web_url'] },
        path_with_namespace: project['path_with_namespace'],
      })),
    })
    const names = async (query: string, client = server.admin) =>
      (await list(client, query)).body.map(({ name }: { name: string }) => name)
    expect(await names('search=SHA')).toEqual(['shared'])
    expect(await names('license=ISC')).toEqual(['Own'])
    expect(await names('package_manager=pip')).toEqual(['python'])
    expect(await names(`project_id=${one.id}`)).toEqual(['Own', 'shared'])
    expect(await names('per_page=1&page=2')).toEqual(['python'])
    expect((await list(server.admin, 'ref=feature')).status).toBe(400)

    const developer = await server.as('developer', two)
    expect((await list(developer, 'search=shared')).body).toMatchObject([
      { occurrence_count: 2, project_count: 1, projects: [{ id: two.id }] },
    ])
    expect(await names('', developer)).toEqual(['python', 'shared'])
    expect(await names('', await server.as('reporter', two))).toEqual([])
    expect((await list(server.anonymous)).status).toBe(401)
    expect((await server.admin.get('/groups/no-such-group/dependencies')).status).toBe(404)
  })
})

describe('licenses', () => {
  test('are counted in a project and in all readable projects', async () => {
    const project = await server.project('licensed/one')
    const other = await server.project('licensed/two')
    await server.report(
      project,
      bom([component('a', '1'), component('b', '1'), component('c', '1', { license: 'ISC' })]),
    )
    await server.report(other, bom([{ type: 'library', name: 'd' }, component('e', '1')]))
    const mit = { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' }
    expect((await server.admin.get(`/projects/${project.id}/dependencies/licenses`)).body).toEqual([
      { ...mit, dependencies: 2 },
      { name: 'ISC', url: 'https://spdx.org/licenses/ISC.html', dependencies: 1 },
    ])
    const developer = await server.as('developer', other)
    expect((await developer.get('/dependencies/licenses')).body).toEqual([
      { ...mit, dependencies: 1 },
      { name: 'unknown', url: null, dependencies: 1 },
    ])
  })
})

describe('the search for a package', () => {
  test('finds its versions in the default branches of readable projects', async () => {
    const one = await server.project('finders/one')
    const two = await server.project('finders/two')
    await server.report(one, bom([component('findable', '1.0'), component('@acme/findable', '1.0')]))
    await server.report(two, bom([component('findable', '1.0')]))
    await server.report(two, bom([component('findable', '2.0')]), { ref: 'feature' })
    const search = async (text: string, client = server.admin) =>
      (await client.get(`/dependencies?search=${encodeURIComponent(text)}`)).body.map(
        (row: {
          name: string
          version: string
          project_count: number
          projects: { path_with_namespace: string }[]
        }) => [row.name, row.version, row.project_count, row.projects.map((project) => project.path_with_namespace)],
      )
    expect(await search('FINDABLE')).toEqual([
      ['@acme/findable', '1.0', 1, ['finders/one']],
      ['findable', '1.0', 2, ['finders/one', 'finders/two']],
    ])
    expect(await search('pkg:npm/findable')).toEqual([['findable', '1.0', 2, ['finders/one', 'finders/two']]])
    expect(await search('pkg:npm/findable@2.0')).toEqual([])
    expect(await search('findable', await server.as('developer', two))).toEqual([
      ['findable', '1.0', 1, ['finders/two']],
    ])
    expect(await search('findable', await server.as('reporter', two))).toEqual([])
  })

  test('needs a word of three letters or a package URL, and a token', async () => {
    expect((await server.admin.get('/dependencies?search=ab')).status).toBe(400)
    expect((await server.admin.get('/dependencies?search=pkg:x')).status).toBe(400)
    expect((await server.admin.get('/dependencies')).status).toBe(400)
    expect((await server.anonymous.get('/dependencies?search=abc')).status).toBe(401)
  })
})
