import type { Random } from './random.ts';

/** Words of everyday code work, the most used first. */
const WORDS = `
file test error value function request response user data type name list message result key string config server client
query table index cache page token event time session path line state handler service module update return check call
build run version branch commit change review merge deploy release field column row record schema migration database
connection pool timeout retry limit queue worker job task thread lock batch stream buffer chunk parser reader writer
format output input option flag default command script shell process signal exit code status log level warning metric
trace span alert dashboard report summary detail header body footer form button dialog menu tab panel view screen theme
colour layout margin border font icon image asset bundle package dependency import export class method property argument
parameter variable constant literal array object map set tree node edge graph root leaf parent child sibling order sort
filter group count sum total average minimum maximum range offset cursor page size length width height position address
host port domain certificate secret password account role permission policy rule plan price invoice payment order cart
discount coupon tax currency refund receipt customer address email phone notification template language locale calendar
date hour minute second zone schedule reminder holiday backup restore snapshot replica shard partition leader follower
election heartbeat lease quota budget usage threshold window interval delay backoff jitter circuit breaker fallback
feature toggle experiment variant cohort funnel retention import upload download archive compress encrypt decrypt hash
digest signature verify validate sanitize escape encode decode serialize normalize tokenize stem rank score match
highlight snippet suggestion autocomplete synonym spelling crawler sitemap robot feed digest thumbnail preview gallery
video audio caption transcript subtitle player playlist volume brightness sensor device firmware driver kernel memory
heap stack register pointer garbage collector compiler linker loader runtime sandbox container image registry cluster
namespace ingress gateway proxy balancer router switch firewall tunnel bridge adapter plugin extension hook listener
subscriber publisher broker topic channel socket frame packet payload envelope checksum sequence acknowledgement window
`
  .split(/\s+/)
  .filter((word) => word !== '');

const VERBS =
  `get set load save read write find make open close send take parse build check fetch store apply merge split
render create delete update resolve validate handle convert`.split(/\s+/);

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** A word of code work, the usual ones often. */
export function word(random: Random): string {
  return random.pickSkewed(WORDS);
}

/** A name as code has it: `loadInvoiceCache`, `invoice_cache`, `InvoiceCache`. */
export function identifier(random: Random): string {
  const [one, other] = [word(random), random.pick(WORDS)];
  const form = random.below(4);
  if (form === 0) return `${random.pick(VERBS)}${capital(one)}${capital(other)}`;
  if (form === 1) return `${one}_${other}`;
  if (form === 2) return `${capital(one)}${capital(other)}`;
  return `${one}${capital(other)}${random.below(3) === 0 ? random.below(90) : ''}`;
}

/** A path of a source file. */
export function filePath(random: Random): string {
  return `src/${word(random)}/${word(random)}-${random.pick(WORDS)}.${random.pick(['ts', 'py', 'go', 'rs', 'tsx', 'sql'])}`;
}

const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join('');

/** Sentences about code work without any meaning. */
export function prose(random: Random, sentences: number): string {
  const starts = [
    'We should',
    'I think that',
    'It looks like',
    'Please',
    'Before that',
    'The next step is to',
    'For now',
  ];
  return Array.from({ length: sentences }, () => {
    const words = Array.from({ length: 6 + random.below(12) }, () =>
      random.below(9) === 0
        ? `\`${identifier(random)}\``
        : random.below(3) === 0
          ? random.pick(['the', 'a', 'of', 'and', 'in', 'for', 'with', 'to'])
          : word(random),
    );
    return `${random.pick(starts)} ${random.pick(VERBS)} ${words.join(' ')}.`;
  }).join(' ');
}

/** Lines of a log. */
export function logLines(random: Random, lines: number): string {
  return Array.from({ length: lines }, (_, at) => {
    const level = random.pickSkewed(['INFO', 'DEBUG', 'WARN', 'ERROR']);
    const clock = `2026-11-${String(1 + random.below(30)).padStart(2, '0')}T${String(random.below(24)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:${String(random.below(60)).padStart(2, '0')}Z`;
    return `${clock} ${level} [${word(random)}-${random.below(16)}] ${word(random)} ${word(random)} ${identifier(random)}=${random.below(10_000)} id=${hex(random, 12)} took ${random.below(900)}ms`;
  }).join('\n');
}

/** Source code that would not compile. */
export function codeLines(random: Random, lines: number): string {
  return Array.from({ length: lines }, () => {
    const form = random.below(5);
    if (form === 0)
      return `export function ${identifier(random)}(${word(random)}: ${capital(word(random))}): void {`;
    if (form === 1)
      return `  const ${identifier(random)} = await ${identifier(random)}(${word(random)}, ${random.below(500)});`;
    if (form === 2)
      return `  if (${word(random)}.${word(random)} !== null) return ${identifier(random)}.${random.pick(VERBS)}();`;
    if (form === 3)
      return `  // ${word(random)} ${word(random)} of the ${word(random)} ${random.pick(WORDS)}`;
    return '}';
  }).join('\n');
}

const UNSPACED = [
  `退款窗口 库存同步 登录限流 发票导出 夜间备份 优惠券 地图缓存 审计日志 数据库 连接池 超时 重试 队列 任务 线程 索引 页面 会话 令牌 权限
  角色 配置 服务器 客户端 请求 响应 错误 测试 部署 版本 分支 合并 回滚 快照 分区 监控 告警 报表 搜索 支付 订单 价格 货币 通知 模板 语言`,
  `返金期間 在庫同期 請求書出力 夜間保存 通知設定 地図表示 権限管理 検索索引 接続 再試行 待ち行列 画面 会話 設定 応答 失敗 試験 配備 版 統合 復元
  分割 監視 警告 報告 支払い 注文 価格 通貨 言語 データベース サーバー クライアント キャッシュ トークン セッション ログイン エラー`,
  `환불기간 재고동기화 로그인제한 송장출력 야간백업 알림설정 지도캐시 권한관리 연결 재시도 대기열 화면 세션 설정 응답 오류 시험 배포 버전 병합 복구 감시
  경고 보고서 검색 결제 주문 가격 통화 언어 서버 데이터베이스`,
].map((words) => words.split(/\s+/));

/** A word of a language that writes no spaces between its words, or joins endings to them. */
export function unspacedWord(random: Random): string {
  return random.pickSkewed(random.pick(UNSPACED));
}

/** Sentences in Chinese, Japanese or Korean without any meaning. */
export function unspacedProse(random: Random, sentences: number): string {
  const which = random.below(UNSPACED.length);
  const words = UNSPACED[which] ?? [];
  const links =
    [
      ['的', '和', '已经', '需要'],
      ['の', 'と', 'を', 'は'],
      ['의 ', '와 ', '를 ', '는 '],
    ][which] ?? [];
  const end = ['。', 'です。', '입니다. '][which] ?? '';
  return Array.from({ length: sentences }, () => {
    const parts = Array.from(
      { length: 3 + random.below(6) },
      () => random.pickSkewed(words) + random.pick(links),
    );
    return `${parts.join('')}${random.below(1_000)}${end}`;
  }).join('');
}
