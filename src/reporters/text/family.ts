import type { SessionReport } from '../../report/schema.ts'
import { oneLine, shortId } from '../format.ts'
import { first, type Page, row, section } from './page.ts'

/** The calls that started other sessions, with what became of those that were read too. */
export function familySection(session: SessionReport, sessions: ReadonlyMap<string | null, readonly SessionReport[]>, page: Page): string[] {
  const lines = first(session.delegations, 8, ({ seq, label, childId }) => {
    const child = sessions.get(childId)?.[0]
    const whom = childId === null ? 'its log was not read' : `${shortId(oneLine(childId))}${child ? ` ${child.verdict}` : ', its log was not read'}`
    return row(`seq ${seq}`, `${label === null ? 'a subagent' : `"${oneLine(label)}"`}: ${whom}`, 2, page)
  }, page)
  return section('SUBAGENTS', lines, page)
}
