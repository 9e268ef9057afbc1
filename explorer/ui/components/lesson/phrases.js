/* What the page itself says on a card, in the language of the lesson. The engine's sentences are English. */

const PHRASES = {
  en: {
    next: "Next ▶", back: "◀ Back", nextLesson: "Next lesson", all: "All lessons", check: "Check", show: "Show me", another: "Another question",
    right: "Right.", wrong: "Not this one.", again: "Look at the panel and try again.", hint: "The panel hides what would give the answer away.", covered: "covered until you answer", pick: "Choose one, then check.",
    quiz: "Your answer counts when you go on.", score: (right, of) => `${right} of ${of} right at once`,
  },
  de: {
    next: "Weiter ▶", back: "◀ Zurück", nextLesson: "Nächste Lektion", all: "Alle Lektionen", check: "Prüfen", show: "Zeigen", another: "Andere Frage",
    right: "Richtig.", wrong: "Nicht diese.", again: "Sehen Sie rechts nach und versuchen Sie es noch einmal.", hint: "Rechts ist verdeckt, was die Antwort verraten würde.", covered: "verdeckt, bis Sie antworten", pick: "Wählen Sie eine Antwort, dann prüfen Sie sie.",
    quiz: "Ihre Antwort zählt, wenn Sie weitergehen.", score: (right, of) => `${right} von ${of} gleich richtig`,
  },
  ja: {
    next: "次へ ▶", back: "◀ 戻る", nextLesson: "次のレッスン", all: "レッスン一覧", check: "答え合わせ", show: "答えを見る", another: "別の問題",
    right: "正解です。", wrong: "違います。", again: "右の図を見て、もう一度どうぞ。", hint: "右の図では、答えが分かる部分を隠してあります。", covered: "回答するまで隠してあります", pick: "一つ選んでから、答え合わせをしてください。",
    quiz: "次へ進むと回答が確定します。", score: (right, of) => `${of} 問中 ${right} 問、一度で正解`,
  },
};

function phrase(language, name) {
  return (PHRASES[language] ?? PHRASES.en)[name];
}
