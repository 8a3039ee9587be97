import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutRound, withoutVolatile } from '../../src/facts/volatile.ts'

const pairs: readonly (readonly [string, string, string])[] = [
  ['an ISO instant', 'at 2026-04-20T21:04:32.123Z ok', 'at 2026-04-21T01:00:00.001Z ok'],
  ['an ISO day', 'on 2026-04-20', 'on 2025-12-01'],
  ['a logger time', '2026-04-20 21:04:32,123 INFO up', '2026-04-20 22:14:02,007 INFO up'],
  ['a German date', 'Stand 20.04.2026, 21:04 Uhr', 'Stand 1.5.2026, 9:12 Uhr'],
  ['the output of date', 'started Mon Apr 20 21:04:32 UTC 2026.', 'started Tue May  5 01:10:00 UTC 2026.'],
  ['an HTTP date', 'Date: Mon, 20 Apr 2026 21:04:32 GMT', 'Date: Fri, 1 May 2026 02:00:00 GMT'],
  ['a written date', 'due April 20, 2026', 'due May 2, 2026'],
  ['a written date in another order', 'le 20 avril 2026', 'le 3 mai 2026'],
  ['a Chinese date', '截至2026年4月20日 21时04分', '截至2026年5月1日 9时30分'],
  ['a clock', 'checked 21:04', 'checked 09:15:59'],
  ['a clock with am and pm', 'checked 9:04 PM', 'checked 11:15 am'],
  ['a compact stamp', 'backup-20260420T210432Z.tar', 'backup-20260501T000001Z.tar'],
  ['a duration', '12 passed in 0.31s', '12 passed in 1.04s'],
  ['a duration in parts', 'took 4m 45s', 'took 1h 2m 3s'],
  ['a duration in parts without spaces', 'took 4m45s', 'took 1h2m3.5s'],
  ['an access log time', '[20/Apr/2026:21:04:32 +0000] GET', '[01/May/2026:02:00:00 +0200] GET'],
  ['a named duration like a clock', 'elapsed 00:00:14.20', 'elapsed 01:12:09.75'],
  ['a Chinese duration', '耗时 31 秒', '耗时 4 秒'],
  ['a named duration', '# duration_ms 81.3', '# duration_ms 79.9'],
  ['a process id', 'server up (pid 9759)', 'server up (pid 10182)'],
  ['a syslog process id', 'sshd[4121]: closed', 'sshd[51]: closed'.replace('51', '5151')],
  ['a uuid', 'run 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'run 00000000-0000-4000-8000-000000000001'],
  ['an epoch in seconds', '{"at":1766000000}', '{"at":1790000001}'],
  ['an epoch in milliseconds', 't=1766000000123', 't=1766009999999'],
  ['a temporary folder', 'report /tmp/out-92328d/report.json', 'report /tmp/vt-cd2675/report.json'],
  ['a temporary file', 'wrote /tmp/tmp.Ab3dEfGh', 'wrote /tmp/tmp.XyZabcde'],
  ['a macOS temporary folder', 'in /var/folders/x1/abc/T/job-1/a', 'in /var/folders/x1/abc/T/job-2/a'],
  ['a test runner folder', '/tmp/pytest-of-me1/pytest-17/a.txt', '/tmp/pytest-of-me1/pytest-18/a.txt'],
  ['a spill path', 'x\n\n(Omitted 9 bytes. Full formatted result stored at: /s/1.txt. Read it)', 'x\n\n(Omitted 9 bytes. Full formatted result stored at: /s/2.txt. Read it)'],
]

describe('withoutVolatile', () => {
  it.each(pairs)('%s is no difference', (_name, a, b) => {
    expect(withoutVolatile(a)).toBe(withoutVolatile(b))
  })

  it.each([
    ['a count', '3 failed', '4 failed'],
    ['a place in a file', 'src/a.ts:12:15 bad', 'src/a.ts:14:15 bad'],
    ['a size', '120 KB', '130 KB'],
    ['a version', 'v1.2.3', 'v1.2.4'],
    ['a commit', 'HEAD is now at a2bef1c', 'HEAD is now at b2bef1c'],
    ['a project below /tmp', '/tmp/project/a.ts', '/tmp/service/a.ts'],
    ['a file in a temporary folder', '/tmp/tmp-a1/a.ts', '/tmp/tmp-a1/b.ts'],
    ['a year of data', 'sales 2024: 10', 'sales 2025: 10'],
    ['a port', 'localhost:8080', 'localhost:8081'],
  ])('%s stays', (_name, a, b) => {
    expect(withoutVolatile(a)).not.toBe(withoutVolatile(b))
  })

  it('changes nothing twice', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      const once = withoutVolatile(text)
      expect(withoutVolatile(once)).toBe(once)
    }))
  })

  it('takes linear time on hostile text', () => {
    const texts = ['1'.repeat(200_000), '1:'.repeat(100_000), 'ab 1 '.repeat(40_000), ' '.repeat(200_000), '/tmp/1'.repeat(30_000), 'C:\\a'.repeat(40_000)]
    const started = performance.now()
    for (const text of texts) withoutVolatile(text)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})

describe('withoutRound', () => {
  it.each(['round 7', 'Round: 7/256', '"round": 7,', '第7轮', '#7'])('leaves out the number of the round in %s', (text) => {
    expect(withoutRound(text, 7)).not.toContain('7')
  })

  it.each(['part-7.md', 'src/7/a.ts', '17', '7.5', 'v7', '7.md'])('leaves %s alone', (text) => {
    expect(withoutRound(text, 7)).toBe(text)
  })
})
