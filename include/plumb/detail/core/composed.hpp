// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a text in Unicode's composed form (NFC), and if not, how is it converted?
//
// "ü" may be written as one character or as "u" followed by a mark. The two look the same, but most
// tokenizers split them into different tokens. This file lists the pairs that compose (UnicodeData,
// version 14, without the composition exclusions) so that names can be checked without a Unicode
// library. The normalization forms that models apply are in huggingface/normal_form.hpp. `composed`
// departs from NFC in two ways. First, it keeps characters that NFC would decompose or replace,
// unless they consist of a letter and a mark (it keeps CJK compatibility ideographs, Hebrew
// presentation forms, Indic letters with nukta); `is_composed` still reports that these are not in
// NFC. Second, it treats a mark that occurs in no pair as a letter, so other marks are not moved
// across it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A mark, its combining class (which orders the marks after a letter), and the letters that it
/// composes with. `pairs` alternates between a letter and the character that it forms with the
/// mark.
struct ComposingMark {
  char32_t mark;
  int combining_class;
  std::u32string_view pairs;
};

/// Sorted by mark, in ascending order.
inline constexpr auto composing_marks = std::to_array<ComposingMark>({
    // clang-format off
    {0x300, 230, U"AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹЕЀИЍеѐиѝĒḔēḕŌṐōṑWẀwẁÂẦâầĂẰăằÊỀêềÔỒôồƠỜơờƯỪưừYỲyỳἀ"
     U"ἂἁἃἈἊἉἋἐἒἑἓἘἚἙἛἠἢἡἣἨἪἩἫἰἲἱἳἸἺἹἻὀὂὁὃὈὊὉὋὐὒὑὓὙὛὠὢὡὣὨὪὩὫαὰεὲηὴιὶοὸυὺωὼΑᾺΕῈΗῊ᾿῍ϊῒΙῚ῾῝ϋῢΥῪ¨῭ΟῸΩ"
     U"Ὼ"},
    {0x301, 230, U"AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻÆǼæǽØǾøǿ¨΅ΑΆΕΈΗΉΙ"
     U"ΊΟΌΥΎΩΏϊΐαάεέηήιίϋΰοόυύωώϒϓГЃКЌгѓкќÇḈçḉĒḖēḗÏḮïḯKḰkḱMḾmḿÕṌõṍŌṒōṓPṔpṕŨṸũṹWẂwẃÂẤâấĂẮăắÊẾêếÔỐô"
     U"ốƠỚơớƯỨưứἀἄἁἅἈἌἉἍἐἔἑἕἘἜἙἝἠἤἡἥἨἬἩἭἰἴἱἵἸἼἹἽὀὄὁὅὈὌὉὍὐὔὑὕὙὝὠὤὡὥὨὬὩὭ᾿῎῾῞"},
    {0x302, 230, U"AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷZẐzẑẠẬạậẸỆẹệỌỘọộ"},
    {0x303, 230, U"AÃNÑOÕaãnñoõIĨiĩUŨuũVṼvṽÂẪâẫĂẴăẵEẼeẽÊỄêễÔỖôỗƠỠơỡƯỮưữYỸyỹ"},
    {0x304, 230, U"AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳИӢиӣУӮуӯGḠgḡḶḸḷḹṚṜṛṝα"
     U"ᾱΑᾹιῑΙῙυῡΥῩ"},
    {0x306, 230, U"AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуўЖӁжӂАӐаӑЕӖеӗȨḜȩḝẠẶạặαᾰΑᾸιῐΙῘυῠΥῨ"},
    {0x307, 230, U"CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯBḂbḃDḊdḋFḞfḟHḢhḣMṀmṁNṄnṅPṖpṗRṘrṙSṠsṡŚṤśṥŠṦšṧṢṨṣṩTṪt"
     U"ṫWẆwẇXẊxẋYẎyẏſẛ"},
    {0x308, 230, U"AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪΥΫιϊυϋϒϔЕЁІЇеёіїАӒаӓӘӚәӛЖӜжӝЗӞзӟИӤиӥОӦоӧӨӪөӫЭӬэӭУӰу"
     U"ӱЧӴчӵЫӸыӹHḦhḧÕṎõṏŪṺūṻWẄwẅXẌxẍtẗ"},
    {0x309, 230, U"AẢaảÂẨâẩĂẲăẳEẺeẻÊỂêểIỈiỉOỎoỏÔỔôổƠỞơởUỦuủƯỬưửYỶyỷ"},
    {0x30A, 230, U"AÅaåUŮuůwẘyẙ"},
    {0x30B, 230, U"OŐoőUŰuűУӲуӳ"},
    {0x30C, 230, U"CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧKǨkǩƷǮʒǯjǰHȞhȟ"},
    {0x30F, 230, U"AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕѴѶѵѷ"},
    {0x311, 230, U"AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ"},
    {0x313, 230, U"αἀΑἈεἐΕἘηἠΗἨιἰΙἸοὀΟὈυὐωὠΩὨρῤ"},
    {0x314, 230, U"αἁΑἉεἑΕἙηἡΗἩιἱΙἹοὁΟὉυὑΥὙωὡΩὩρῥΡῬ"},
    {0x31B, 216, U"OƠoơUƯuư"},
    {0x323, 220, U"BḄbḅDḌdḍHḤhḥKḲkḳLḶlḷMṂmṃNṆnṇRṚrṛSṢsṣTṬtṭVṾvṿWẈwẉZẒzẓAẠaạEẸeẹIỊiịOỌoọƠỢơợUỤuụƯ"
     U"ỰưựYỴyỵ"},
    {0x324, 220, U"UṲuṳ"},
    {0x325, 220, U"AḀaḁ"},
    {0x326, 220, U"SȘsșTȚtț"},
    {0x327, 202, U"CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţEȨeȩDḐdḑHḨhḩ"},
    {0x328, 202, U"AĄaąEĘeęIĮiįUŲuųOǪoǫ"},
    {0x32D, 220, U"DḒdḓEḘeḙLḼlḽNṊnṋTṰtṱUṶuṷ"},
    {0x32E, 220, U"HḪhḫ"},
    {0x330, 220, U"EḚeḛIḬiḭUṴuṵ"},
    {0x331, 220, U"BḆbḇDḎdḏKḴkḵLḺlḻNṈnṉRṞrṟTṮtṯZẔzẕhẖ"},
    {0x338, 1, U"←↚→↛↔↮⇐⇍⇔⇎⇒⇏∃∄∈∉∋∌∣∤∥∦∼≁≃≄≅≇≈≉=≠≡≢≍≭<≮>≯≤≰≥≱≲≴≳≵≶≸≷≹≺⊀≻⊁⊂⊄⊃⊅⊆⊈⊇⊉⊢⊬⊨⊭⊩⊮⊫⊯≼⋠≽⋡⊑⋢⊒"
     U"⋣⊲⋪⊳⋫⊴⋬⊵⋭"},
    {0x342, 230, U"ἀἆἁἇἈἎἉἏἠἦἡἧἨἮἩἯἰἶἱἷἸἾἹἿὐὖὑὗὙὟὠὦὡὧὨὮὩὯαᾶ¨῁ηῆ᾿῏ιῖϊῗ῾῟υῦϋῧωῶ"},
    {0x345, 240, U"ἀᾀἁᾁἂᾂἃᾃἄᾄἅᾅἆᾆἇᾇἈᾈἉᾉἊᾊἋᾋἌᾌἍᾍἎᾎἏᾏἠᾐἡᾑἢᾒἣᾓἤᾔἥᾕἦᾖἧᾗἨᾘἩᾙἪᾚἫᾛἬᾜἭᾝἮᾞἯᾟὠᾠὡᾡὢᾢὣᾣὤᾤὥᾥὦ"
     U"ᾦὧᾧὨᾨὩᾩὪᾪὫᾫὬᾬὭᾭὮᾮὯᾯὰᾲαᾳάᾴᾶᾷΑᾼὴῂηῃήῄῆῇΗῌὼῲωῳώῴῶῷΩῼ"},
    {0x653, 230, U"اآ"},
    {0x654, 230, U"اأوؤيئەۀہۂےۓ"},
    {0x655, 220, U"اإ"},
    {0x93C, 7, U"नऩरऱळऴ"},
    {0x9BE, 0, U"েো"},
    {0x9D7, 0, U"েৌ"},
    {0xB3E, 0, U"େୋ"},
    {0xB56, 0, U"େୈ"},
    {0xB57, 0, U"େୌ"},
    {0xBBE, 0, U"ெொேோ"},
    {0xBD7, 0, U"ஒஔெௌ"},
    {0xC56, 91, U"ెై"},
    {0xCC2, 0, U"ೆೊ"},
    {0xCD5, 0, U"ಿೀೆೇೊೋ"},
    {0xCD6, 0, U"ೆೈ"},
    {0xD3E, 0, U"െൊേോ"},
    {0xD57, 0, U"െൌ"},
    {0xDCA, 9, U"ෙේොෝ"},
    {0xDCF, 0, U"ෙො"},
    {0xDDF, 0, U"ෙෞ"},
    {0x102E, 0, U"ဥဦ"},
    {0x1B35, 0, U"ᬅᬆᬇᬈᬉᬊᬋᬌᬍᬎᬑᬒᬺᬻᬼᬽᬾᭀᬿᭁᭂᭃ"},
    {0x3099, 8, U"かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビ"
     U"フブヘベホボウヴワヷヰヸヱヹヲヺヽヾ"},
    {0x309A, 8, U"はぱひぴふぷへぺほぽハパヒピフプヘペホポ"},
    {0x110BA, 7, U"𑂙𑂚𑂛𑂜𑂥𑂫"},
    {0x11127, 0, U"𑄱𑄮𑄲𑄯"},
    {0x1133E, 0, U"𑍇𑍋"},
    {0x11357, 0, U"𑍇𑍌"},
    {0x114B0, 0, U"𑒹𑒼"},
    {0x114BA, 0, U"𑒹𑒻"},
    {0x114BD, 0, U"𑒹𑒾"},
    {0x115AF, 0, U"𑖸𑖺𑖹𑖻"},
    {0x11930, 0, U"𑤵𑤸"},
    // clang-format on
});

/// Characters that NFC replaces, each with its replacement, in ascending order.
inline constexpr auto replaced_characters = std::to_array<std::pair<char32_t, char32_t>>({
    // clang-format off
    {0x340, 0x300}, {0x341, 0x301}, {0x343, 0x313}, {0x374, 0x2B9}, {0x37E, 0x3B}, {0x387,
    0xB7}, {0x1F71, 0x3AC}, {0x1F73, 0x3AD}, {0x1F75, 0x3AE}, {0x1F77, 0x3AF}, {0x1F79, 0x3CC},
    {0x1F7B, 0x3CD}, {0x1F7D, 0x3CE}, {0x1FBB, 0x386}, {0x1FBE, 0x3B9}, {0x1FC9, 0x388},
    {0x1FCB, 0x389}, {0x1FD3, 0x390}, {0x1FDB, 0x38A}, {0x1FE3, 0x3B0}, {0x1FEB, 0x38E},
    {0x1FEE, 0x385}, {0x1FEF, 0x60}, {0x1FF9, 0x38C}, {0x1FFB, 0x38F}, {0x1FFD, 0xB4}, {0x2000,
    0x2002}, {0x2001, 0x2003}, {0x2126, 0x3A9}, {0x212A, 0x4B}, {0x212B, 0xC5}, {0x2329,
    0x3008}, {0x232A, 0x3009},
    // clang-format on
});

/// The first and last characters of each range of other characters that never occur in NFC text, in
/// ascending order.
inline constexpr auto uncomposed_characters = std::to_array<char32_t>({
    // clang-format off
    0x344, 0x344, 0x958, 0x95F, 0x9DC, 0x9DD, 0x9DF, 0x9DF, 0xA33, 0xA33, 0xA36, 0xA36, 0xA59,
    0xA5B, 0xA5E, 0xA5E, 0xB5C, 0xB5D, 0xF43, 0xF43, 0xF4D, 0xF4D, 0xF52, 0xF52, 0xF57, 0xF57,
    0xF5C, 0xF5C, 0xF69, 0xF69, 0xF73, 0xF73, 0xF75, 0xF76, 0xF78, 0xF78, 0xF81, 0xF81, 0xF93,
    0xF93, 0xF9D, 0xF9D, 0xFA2, 0xFA2, 0xFA7, 0xFA7, 0xFAC, 0xFAC, 0xFB9, 0xFB9, 0x2ADC, 0x2ADC,
    0xF900, 0xFA0D, 0xFA10, 0xFA10, 0xFA12, 0xFA12, 0xFA15, 0xFA1E, 0xFA20, 0xFA20, 0xFA22,
    0xFA22, 0xFA25, 0xFA26, 0xFA2A, 0xFA6D, 0xFA70, 0xFAD9, 0xFB1D, 0xFB1D, 0xFB1F, 0xFB1F,
    0xFB2A, 0xFB36, 0xFB38, 0xFB3C, 0xFB3E, 0xFB3E, 0xFB40, 0xFB41, 0xFB43, 0xFB44, 0xFB46,
    0xFB4E, 0x1D15E, 0x1D164, 0x1D1BB, 0x1D1C0, 0x2F800, 0x2FA1D,
    // clang-format on
});

[[nodiscard]] inline const ComposingMark* composing_mark(char32_t c) {
  if (c < 0x300) return nullptr;
  const auto found = std::lower_bound(composing_marks.begin(), composing_marks.end(), c,
                                      [](const auto& one, char32_t of) { return one.mark < of; });
  return found == composing_marks.end() || found->mark != c ? nullptr : &*found;
}

// Hangul syllables are computed from leads, vowels and tails (The Unicode Standard, 3.12).
inline constexpr char32_t first_lead = 0x1100, first_vowel = 0x1161, first_tail = 0x11A7;
inline constexpr char32_t first_syllable = 0xAC00, lead_count = 19, vowel_count = 21,
                          tail_count = 28;

/// The single character that two code points compose into; 0 if there is none.
[[nodiscard]] inline char32_t letter_with_mark(char32_t first, char32_t second) {
  if (first >= first_lead && first < first_lead + lead_count && second >= first_vowel &&
      second < first_vowel + vowel_count) {
    return first_syllable +
           ((first - first_lead) * vowel_count + second - first_vowel) * tail_count;
  }
  if (first >= first_syllable && first < first_syllable + lead_count * vowel_count * tail_count &&
      (first - first_syllable) % tail_count == 0 && second > first_tail &&
      second < first_tail + tail_count) {
    return first + second - first_tail;
  }
  const ComposingMark* mark = composing_mark(second);
  for (std::size_t i = 0; mark != nullptr && i < mark->pairs.size(); i += 2) {
    if (mark->pairs[i] == first) return mark->pairs[i + 1];
  }
  return 0;
}

/// All compositions, as (composed, (letter, mark)), sorted by the composed character.
[[nodiscard]] inline const auto& letters_with_marks() {
  using Parts = std::pair<char32_t, std::pair<char32_t, char32_t>>;
  static const std::vector<Parts> all = [] {
    std::vector<Parts> made;
    for (const ComposingMark& mark : composing_marks) {
      for (std::size_t i = 0; i < mark.pairs.size(); i += 2) {
        made.push_back({mark.pairs[i + 1], {mark.pairs[i], mark.mark}});
      }
    }
    ranges::sort(made);
    return made;
  }();
  return all;
}

/// Appends the character, decomposed as far as the tables allow.
inline void append_decomposed(std::u32string& text, char32_t c) {
  const auto by_first = [](const auto& one, char32_t of) { return one.first < of; };
  if (const auto other =
          std::lower_bound(replaced_characters.begin(), replaced_characters.end(), c, by_first);
      other != replaced_characters.end() && other->first == c) {
    return append_decomposed(text, other->second);
  }
  const auto& all = letters_with_marks();
  const auto found = std::lower_bound(all.begin(), all.end(), c, by_first);
  if (found == all.end() || found->first != c) {
    text.push_back(c);
    return;
  }
  append_decomposed(text, found->second.first);
  text.push_back(found->second.second);
}

[[nodiscard]] inline int class_of_mark(char32_t c) {
  const ComposingMark* mark = composing_mark(c);
  return mark == nullptr ? 0 : mark->combining_class;
}

/// Sorts the marks after each letter by their combining classes.
inline void order_marks(std::u32string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && class_of_mark(text[end]) > 0) ++end;
    std::stable_sort(text.begin() + static_cast<std::ptrdiff_t>(begin),
                     text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char32_t a, char32_t b) { return class_of_mark(a) < class_of_mark(b); });
    begin = end + 1;
  }
}

/// The text with each letter and its marks replaced by a single character if one exists. Bytes that
/// are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string composed(std::string_view text) {
  if (ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return std::string(text);
  }
  std::u32string parts;
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    append_decomposed(parts, head.size == 0 ? 0xFFFD : head.value);
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  order_marks(parts);
  std::u32string made;
  std::size_t letter = std::u32string::npos;
  int last_class = -1;  // class of the last mark kept after the letter; -1 if there is none
  for (const char32_t c : parts) {
    const int its_class = class_of_mark(c);
    if (letter != std::u32string::npos && last_class < its_class) {
      if (const char32_t both = letter_with_mark(made[letter], c); both != 0) {
        made[letter] = both;
        continue;
      }
    }
    if (its_class == 0) letter = made.size();
    last_class = its_class == 0 ? -1 : its_class;
    made.push_back(c);
  }
  std::string bytes;
  for (const char32_t c : made) append_utf8(bytes, c);
  return bytes;
}

/// Whether a UTF-8 text is in NFC.
[[nodiscard]] inline bool is_composed(std::string_view text) {
  if (composed(text) != text) return false;
  const auto& edges = uncomposed_characters;
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    for (std::size_t i = 0; head.value >= edges[0] && i < edges.size(); i += 2) {
      if (head.value >= edges[i] && head.value <= edges[i + 1]) return false;
    }
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  return true;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
