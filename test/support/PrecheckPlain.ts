/** What people say on the air, and look alike to what may not be said. All of it must pass. */
export const plain: Readonly<Record<string, ReadonlyArray<string>>> = {
  "radio talk": [
    "You're on the air in three, two, one.", "We lost the carrier for nine seconds and found it again.", "Stand by for the top of the hour.", "That was the long version; the short one has no ending.",
    "Caller number seven wins two tickets to the pier.", "Don't touch that dial, we'll be right back after this.", "Dead air is the only thing that scares a producer.", "We'll kill the lights at midnight and listen to the rain.",
    "The signal drops off past the hills, so hold the aerial high.", "I shot the breeze with the harbour pilot all morning.", "The band bombed in Leeds and triumphed in York.", "He was hanged in effigy by the football fans.",
    "This one's a killer bass line.", "They murdered that cover, in the best way.", "The crew shoots the next episode at the station on Friday.", "Blow out the candles and make a wish.",
    "She attacked the solo like nobody before her.", "The hostess with the mostest is back at ten.", "Next week we burn the midnight oil with the archive team.", "A strike at the ferry terminal begins on Monday.",
    "Take shelter from the wind behind the boathouse and you'll hear it too.", "The emergency generator ran for six minutes, as it should.", "This is not a test pressing but the real first edition.", "This is not a drill, said the carpenter, this is a screwdriver."
  ],
  "song and book titles": [
    "Coming up: Killing Me Softly, in the version of 1973.", "After the break, Murder on the Dancefloor.", "I Shot the Sheriff closes the first hour.", "Psycho Killer, qu'est-ce que c'est.", "Kings of Leon, Sex on Fire, from 2008.",
    "Marvin Gaye, Sexual Healing, and then the news.", "Live and Let Die, the orchestra version.", "Another One Bites the Dust, by request of the pest control people.", "The Sex Pistols played here in 1976 and the kids went wild.",
    "Kill Bill has the best whistled theme in film.", "To Kill a Mockingbird is our book of the month.", "Tonight's play is Death of a Salesman.", "Die Hard is a Christmas film; go Die Hard or go home.", "I Want to Hold Your Hand, twice.",
    "Pussy Riot's first single is in the archive.", "What's New Pussycat, sung by the whole choir.", "Dick Dale plays surf guitar like a motorboat.", "Van Dyke Parks arranged the strings.", "Philip K. Dick wrote it in six weeks.", "Moby-Dick, chapter one, read by candlelight.",
    "Rape of Lucrece is Shakespeare's longest narrative poem.", "Negro spirituals shaped everything that came after.", "The Negro Leagues had the best announcers of their day.", "Suicide is Painless is the theme of MASH.", "Girls Just Want to Have Fun opens the set.",
    "Bodies by Drowning Pool is not for the breakfast show.", "Ain't No Rest for the Wicked, then the shipping forecast.", "Django Reinhardt and the sound of gypsy jazz."
  ],
  "numbers": [
    "Medium wave 1215, long wave 198, FM 92 to 95.", "ISBN 978-3-16-148410-0 is the example that everybody uses.", "At 52.5200, 13.4050 stands the tower.", "Bus times tonight: 0710 0740 0810 0840 0910.", "The lottery drew 4 8 15 16 23 42.",
    "Results: 3-2, 4-1, 2-0, 1-1 and 0-0.", "ISRC US-RC1-76-07839, catalogue number 2841.", "The count stood at 10,000,000 at 21:45:00.", "Node 24.1.0 came out and the clock ran on.", "Order 4111 1111 1111 1112 never arrived, the number had one digit too many wrong.",
    "In 1488 Bartolomeu Dias rounded the Cape.", "Recorded 1987-06-12, remastered 2011-03-04, released 2012.", "Pi begins 3.14159265358979.", "After 40 years on the road the band goes home.", "The studio is a 5 minute scenic drive from the harbour.", "We spent 3 hours in court and won.",
    "12 people danced down the street at four in the morning.", "42nd Street was built for walking.", "Abbey Road has a crossing and a queue.", "Twenty questions, ten answers, one winner.", "The buoy reads 1013 hPa, 8 m/s, 2.4 m, 11.5 degrees.", "Commit 3f757b1a9c fixed the echo.",
    "Ticket 550e8400-e29b-41d4-a716-446655440000 was closed.", "We are at 48 kHz, 24 bit, two channels.", "The serial number ends in 20 7946.", "Frequencies 87.5 88.1 90.3 101.7 and 107.9 are free.", "1 234 567 890 grains of rice on the sixty-fourth square.",
    "Our balance was -12.50 and then 1,200.00 the next day.", "Sunrise 06:31, sunset 20:14, moonrise 22:58.", "He ran 10 km in 00:41:07, and 5 km in 00:19:55."
  ],
  "code words and code": [
    "Alpha Bravo Charlie Delta, this is Golf Hotel.", ".... . .-.. .-.. --- from the Morse club.", "QSL and 73 to everybody on forty metres.", "WARNING: the SELECT statement in this poem is a metaphor.", "JavaScript was written in ten days.",
    "File: under miscellaneous. Data: none. Hope: some.", "The function ignores its previous argument.", "Kids drop table tennis for chess these days.", "The operating system: a love story in three parts.", "Regular expressions such as (a|b)* never hurt anybody.",
    "Use chmod with care and coffee.", "HTTP 404 is my favourite poem.", "if (rain) { stay(); } else { go(); }", "The API answers 201 when a post was made.", "Our agents talk to each other over plain HTTP.", "The prompt on the old terminal was a green square.",
    "Producer: Ada\nAssistant: Bo\nDeveloper: Cy\nSound: the sea", "The instructions on the tin were in Latin.", "Please disregard the noise behind me, that's the kettle.", "Forget the rules of counterpoint for one bar.", "The new rules of the swimming pool: no running, no radios.", "Reveal your favourite hidden track.",
    "<3 to all night owls", "C:\\RADIO\\NIGHT.WAV was the first file I ever saved.", "The checksum is d41d8cd98f00b204e9800998ecf8427e for an empty file.", "The password is swordfish, as in every film.", "An API key opens doors; a door key opens one.", "Tokens of appreciation go to the night crew."
  ],
  "words that only look it": [
    "There's a chink in the armour of every schedule.", "The dyke held the North Sea back that night.", "Fire retardant foam covers the studio walls.", "A blue tit and two great tits sat on the mast.", "At dawn the cock crows over the transmitter.", "The ox and the ass stood by the crib.",
    "She graduated summa cum laude from the conservatory.", "Pussy willows are out along the canal.", "Hancock's Half Hour at nine.", "Penistone has a very good brass band.", "The shiitake harvest in Essex was a success.", "Analysis of an analogue canal.", "Bass players and assassins need patience.", "The Arsenal match kicks off at three.",
    "The cockpit recorder is orange, not black.", "He practised titrations all night.", "The peacock screamed and spoiled the take.", "A screwdriver, a hammer and some glue.", "White power cables run along the left wall.", "Naked eye astronomy for children: look for Venus at dusk.",
    "Explicit permission of the parents is needed for the children's choir.", "The kids' pony grooming class meets on Saturday.", "Homo sapiens has told stories for a while.", "Watch your step on the wet stairs.", "I'm gonna hurt tomorrow after this run.", "Kill them with kindness, says my grandmother.",
    "We will beat them on Saturday, two to one.", "You're killing it tonight, band.", "The order was to kill the engines and drift.", "Cats are animals, and so are we.", "The criminals are caught in chapter nine.", "You are garbage collectors of the soul, poets.", "Nobody likes your cooking more than I do.", "A plan to bomb the station was foiled in 1940, the museum says."
  ],
  "web and names": [
    "The programme is at https://example.org/tonight?hour=22.", "Find us at longwave dot fm.", "More about it on www.example.com.", "https://münchen.de has the market's opening hours.", "See https://радио.рф for the schedule in Russian.", "Our podcast: https://feeds.example.org/night.xml",
    "Follow @wren and @night-desk for more.", "#NightRadio is trending at the pier.", "Version 2.0.1 of example.com's player is out.", "She works at Dot Matrix, he at Comma.", "Ask the police museum for a tour.", "The bank of the river flooded.",
    "The station operator's handbook of 1931 is a joy.", "The government announced a new bridge.", "Verify your tuning with a fork.", "Confirm your seat at the door.", "My account of the storm is on page two.", "I am the walrus, they are the eggmen."
  ],
  "other languages": [
    "El gato negro duerme en la radio toda la noche.", "Vino tinto y arroz negro para la cena, con música de Lisboa.", "Le train est en retard et la nuit est belle.", "Le retard de la marée sur la lune est de cinquante minutes.", "Programmet är slut för idag, och nu är det tyst.", "Mitt bästa fag på skolen var musikk, og det er det ennå.",
    "Der Nebel ist heute dick und das Meer ist nicht zu sehen.", "Ein Ass im Ärmel ist besser als der Joker, und das ist die Regel.", "Cum ești? Ce faci la radio în noaptea asta?", "Hoe gaat het met je? De nacht is lang en het is stil.", "U kunt de zender ook op het water horen, en het is gratis.", "Boa noite! A maré está baixa e o farol não dorme.",
    "Buonanotte a tutti, la marea sale alle quattro.", "Dobry wieczór, tu radio, mówi nocna zmiana.", "Dobrou noc, moře je klidné.", "Jó estét kívánok minden éjszakai hallgatónak.", "Hyvää iltaa, meri on tyyni.", "İyi geceler, deniz sakin.",
    "Добрый вечер! Сегодня в эфире море и немного музыки.", "Добрий вечір, ми з України, і це нічний ефір.", "Καλό βράδυ, η θάλασσα είναι ήρεμη απόψε.", "今晚海面平静,我们放一首老歌。", "오늘 밤 바다는 잔잔합니다. 노래 한 곡 듣겠습니다.", "今夜の海は静かです。ラジオをお楽しみください。",
    "शुभ रात्रि, समुद्र शांत है।", "คืนนี้ทะเลสงบ\u200Bฟังเพลงกัน", "រាត្រី\u200Bសួស្តី\u200Bអ្នក\u200Bស្តាប់", "Chúc ngủ ngon, biển lặng đêm nay.", "Usiku mwema, bahari imetulia.", "Nos da, mae'r môr yn dawel.",
    "Der Heimweg 20 Minuten am Wasser entlang ist der schönste.", "Die Donau\u00ADdampf\u00ADschiff\u00ADfahrt ruht im Winter.", "Ce soir, la météo marine puis une chanson de Barbara."
  ],
  "direction and joining": [
    "מוזיקה לילית ברדיו, ערב טוב לכולם.", "שלום \u2066FM 98.5\u2069, הלילה משדרים עד הבוקר.", "موجات الليل على \u2067٩٨٫٥\u2069 ميغاهرتز.", "مساء الخير\u200F، هنا الإذاعة.", "السلام عليكم \u202BFM\u202C من الميناء.", "می‌روم و نمی‌خواهم برگردم.", "اُردو میں خوش آمدید، رات کا پروگرام شروع ہے۔",
    "The Hebrew word שלום\u200E means peace.", "In Arabic it's written \u2067إذاعة\u2069, and read from the right.", "👨‍👩‍👧‍👦 at the pier, 👩🏽‍🚀 in orbit, 🧑‍🎤 on the air.", "🏳️‍🌈 flag over the lighthouse, 🏴󠁧󠁢󠁷󠁬󠁳󠁿 over the castle.", "❤️‍🔥 for the night shift.", "Keycaps 1️⃣ 2️⃣ 3️⃣ and go.", "クリス\u200Dタル is one word here.", "葛\u{E0100}城 is spelled with its own variant.", "\uFEFFA text from an old editor begins like this.",
    "Zähle bis drei: e\u0301ins, zwei, drei.", "ｆｕｌｌ ｗｉｄｔｈ ｌｅｔｔｅｒｓ are a mood."
  ],
  "written after the rules": [
    "Two minutes to midnight and the fog has swallowed the pier whole.", "If you hear me twice, blame the repeater on the hill.", "The drummer stabbed at the snare until it gave in.", "Send in your requests before the half hour.", "Our intern burned the toast and the playlist.",
    "Somebody left a bicycle in the lift; please collect it.", "The bishop and the gay couple who run the bakery judge the cakes.", "Women are invited to the engineers' evening on Thursday.", "Immigrants built this harbour and their songs are still sung here.", "The Jewish museum lends us its shellac records.",
    "A Muslim choir and a Christian choir share the stage on Sunday.", "Black coffee, white noise, blue notes.", "The film won the Golden Bear in 1988.", "Born in 1914, died in 1988.", "Room 14, seat 88.", "Children under 12 travel free on the night ferry.",
    "My daughter is 9 years old and names every gull.", "The kids' own hour begins at five.", "A minor key suits the weather.", "In A minor, slowly.", "Schoolchildren read their poems about sexless snails.", "The sex of the seahorse surprised the children.",
    "Our teenagers' panel talks about growing up.", "He was dying to hear the encore.", "I could die happy after that chorus.", "The battery is dead and so am I, nearly.", "Overdose of sunshine today, bring a hat.", "The bridge is closed, so nobody can jump the queue.", "Suicide prevention week begins: there is a number on our page.",
    "Bleach the sails and dry them flat.", "How to tie a noose knot is in the sailor's handbook.", "Please repeat the question for those in the back.", "The system said no, and then it said please wait.", "User manual, page 4: turn the dial.", "Act as if you were under water, the director said.",
    "Pretend you're a lighthouse and blink.", "Developer news: the new transmitter software is out.", "You are now leaving the studio floor.", "Print the programme and pin it on the fridge.", "The secret ingredient is seaweed.", "Token rings and tin cans, the history of wires.", "My key change at 2:10 is a semitone up.",
    "Buy a ticket, bring a friend, bring soup.", "Free entry on Thursdays.", "Limited edition vinyl, numbered by hand.", "Subscribe if you like; the radio is free.", "aaaah, the sea.", "Nooooo, not the accordion again!", "La la la la la la la la, and then the chorus.",
    "Zwei Drittel der Stadt hören nachts Radio.", "Wir senden aus der Hafenstrasse.", "Je suis au micro jusqu'à cinq heures.", "Hasta mañana, y que descansen.", "Mañana por la mañana, café negro para el equipo.", "Fartkontroll ved broen, og så været.", "Slutsången är här.",
    "Tomorrow 7:00-9:30, then 10:15-12:45, then silence.", "Grid reference SU 387 148.", "48°51'24\"N 2°21'03\"E is where the tower stands.", "Call sign DL0ABC, 5 and 9.", "Flight 447, gate 22, seat 14C.", "Score after 90 minutes: 1 : 1.", "The 8 track machine eats tapes.", "About 300 people came to the square.", "It is 12 paces to the old court."
  ]
}
