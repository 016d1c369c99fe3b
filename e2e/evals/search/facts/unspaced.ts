import type { Maker } from './fact.ts';
import { number } from './subjects.ts';

const CHINESE = [
  '退款窗口',
  '库存同步',
  '登录限流',
  '发票导出',
  '夜间备份',
  '优惠券引擎',
  '地图缓存',
  '审计日志',
];
const JAPANESE = [
  '返金期間',
  '在庫同期',
  '請求書出力',
  '夜間保存',
  '通知設定',
  '地図表示',
  '権限管理',
  '検索索引',
];
const KOREAN = [
  '환불기간',
  '재고동기화',
  '로그인제한',
  '송장출력',
  '야간백업',
  '알림설정',
  '지도캐시',
  '권한관리',
];

/** A text in a language that writes no spaces. */
export const unspaced: Maker = (random, at) => {
  const value = number(random);
  const which = at % 3;
  if (which === 0) {
    const name = random.pick(CHINESE);
    return {
      kind: 'unspaced',
      carrier: 'typed',
      text: `我们决定把${name}的上限改成${value}次，超过以后直接拒绝，不再排队。`,
      question: random.pick([`${name}的上限是多少？`, `${name} ${value}`, `超过${name}上限以后怎么办`]),
      distractors: [`${random.pick(CHINESE)}已经修好了。`, `上限是多少还没有人知道。`],
    };
  }
  if (which === 1) {
    const name = random.pick(JAPANESE);
    return {
      kind: 'unspaced',
      carrier: 'answer',
      text: `${name}の上限を${value}件に変更しました。超えた場合は待たせずに拒否します。`,
      question: random.pick([`${name}の上限は何件ですか？`, `${name} ${value}件`, `${name}の変更内容`]),
      distractors: [`${random.pick(JAPANESE)}は問題ありません。`, '上限は何件か、まだ分かりません。'],
    };
  }
  const name = random.pick(KOREAN);
  return {
    kind: 'unspaced',
    carrier: 'typed',
    text: `${name}의 한도를 ${value}회로 바꾸기로 했습니다. 넘으면 바로 거절합니다.`,
    question: random.pick([`${name} 한도는 몇 회입니까?`, `${name} ${value}회`, `${name}을 바꾼 내용`]),
    distractors: [`${random.pick(KOREAN)}은 문제없습니다.`, '한도는 아직 모릅니다.'],
  };
};
