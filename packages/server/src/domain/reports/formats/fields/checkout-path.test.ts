import { expect, test } from 'vitest'
import { checkoutPath } from './checkout-path.ts'

test.for([
  ['src/app.py', 'src/app.py'],
  ['./src/app.py', 'src/app.py'],
  ['././/src/app.py', 'src/app.py'],
  ['.\\src\\app.py', 'src/app.py'],
  ['src\\app.py', 'src/app.py'],
  ['odd\\name/app.py', 'odd/name/app.py'],
  ['/builds/shop/api/package-lock.json', 'package-lock.json'],
  ['/home/runner/work/api/api/web/package-lock.json', 'web/package-lock.json'],
  ['/__w/api/api/go.mod', 'go.mod'],
  ['/github/workspace/go.mod', 'go.mod'],
  ['/home/vsts/work/1/s/go.mod', 'go.mod'],
  ['/opt/atlassian/pipelines/agent/build/go.mod', 'go.mod'],
  ['/var/jenkins_home/workspace/api/go.mod', 'go.mod'],
  ['/var/lib/jenkins/workspace/api/go.mod', 'go.mod'],
  ['/woodpecker/src/git.example.com/shop/api/go.mod', 'go.mod'],
  ['/src/go.mod', 'go.mod'],
  ['D:\\a\\api\\api\\src\\app.py', 'src/app.py'],
  ['/srv/code/api/go.mod', '/srv/code/api/go.mod'],
  ['/src/', '/src/'],
  ['', ''],
])('%s is the file %s of the repository', ([written, expected]) => {
  expect(checkoutPath(written as string)).toBe(expected)
})
