import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'

/*
 * The documents as a static site with search (`npm run docs`). It consists of the Markdown files of the root folder and of
 * `docs/`, under their own paths, so that links between them work in the site as they do in the repository.
 */
const root = fileURLToPath(new URL('../../', import.meta.url))
const site = join(root, 'dist/docs')

/** Linked files that are not pages. They are copied as they are. */
const linkedFiles = ['docs/api/openapi.json', 'packaging']

const page = (text: string, path: string): DefaultTheme.SidebarItem => ({ text, link: `/${path}` })

/** Returns the pages of a folder in the order of their names, each with its heading. */
function pagesOf(folder: string): DefaultTheme.SidebarItem[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort()
    .map((name) => {
      const path = `${folder}/${name}`
      const [, heading = name] = /^# (.*)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
      return page(heading, path)
    })
}

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default defineConfig({
  title: 'Alcove',
  description:
    'One list of what security scanners find, with GitLab’s REST API v4, Markdown uploads and project topics',
  srcDir: root,
  srcExclude: ['{bench,bin,dist,packages,packaging,scripts,tests,.ci,.tmp}/**'],
  outDir: site,
  cacheDir: join(root, '.tmp/vitepress'),
  rewrites: { 'README.md': 'index.md' },
  // An address without ending needs a server that knows pages; with it, any server of files will do.
  cleanUrls: false,
  // The address of a server that the reader starts.
  ignoreDeadLinks: ['http://127.0.0.1:8080', /^http:\/\/127\.0\.0\.1:8080\//],
  markdown: {
    languageAlias: { haproxy: 'ini' },
    config(md) {
      // Braces of the text are not templates of Vue. Code is safe anyway.
      const escapeHtml = md.utils.escapeHtml
      md.renderer.rules['text'] = (tokens, index) =>
        escapeHtml(tokens[index]?.content ?? '').replaceAll('{{', '&#123;&#123;')
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/' },
      { text: 'CI', link: '/docs/ci.md' },
      { text: 'Operate', link: '/docs/operating/install.md' },
      { text: 'API', link: '/docs/api.md' },
      { text: 'Compare', link: '/docs/compare.md' },
      { text: 'Migrate', link: '/docs/migrate.md' },
      { text: 'Decisions', link: '/docs/decisions/README.md' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [page('Alcove', ''), page('Compare', 'docs/compare.md'), page('Migrate', 'docs/migrate.md')],
      },
      {
        text: 'Reports from CI',
        items: [
          page('Overview', 'docs/ci.md'),
          page('Pipeline identity', 'docs/ci-identity.md'),
          ...pagesOf('docs/ci'),
        ],
      },
      {
        text: 'Operate',
        items: [
          page('Install', 'docs/operating/install.md'),
          page('Configure', 'docs/operating/configure.md'),
          page('Sign-in', 'docs/operating/sign-in.md'),
          page('E-mail', 'docs/operating/mail.md'),
          page('Virus scan', 'docs/operating/virus-scan.md'),
          page('Webhooks', 'docs/operating/webhooks.md'),
          page('Issue trackers', 'docs/operating/issue-trackers.md'),
          page('Back up', 'docs/operating/back-up.md'),
          page('Recover', 'docs/operating/recover.md'),
          page('Audit log', 'docs/operating/audit.md'),
          page('Feeds', 'docs/operating/feeds.md'),
          page('Upgrade', 'docs/operating/upgrade.md'),
          page('Scale', 'docs/operating/scale.md'),
          page('nginx and HAProxy', 'docs/operating/proxy.md'),
          page('Files in a bucket', 'docs/operating/bucket.md'),
          page('Security', 'SECURITY.md'),
          page('Changelog', 'CHANGELOG.md'),
        ],
      },
      {
        text: 'API',
        items: [
          page('Overview', 'docs/api.md'),
          page('GraphQL', 'docs/graphql.md'),
          page('Compatibility', 'docs/compatibility.md'),
          page('Permissions', 'docs/permission-matrix.md'),
        ],
      },
      {
        text: 'Contribute',
        collapsed: true,
        items: [
          page('Contributing', 'CONTRIBUTING.md'),
          page('Architecture', 'ARCHITECTURE.md'),
          page('Glossary', 'docs/glossary.md'),
          page('Decisions', 'docs/decisions/README.md'),
        ],
      },
      { text: 'Decisions', collapsed: true, items: pagesOf('docs/decisions') },
    ],
  },
  buildEnd() {
    for (const path of linkedFiles) cpSync(join(root, path), join(site, path), { recursive: true })
  },
})
