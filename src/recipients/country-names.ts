// Accepted names of a country on the last line of an address, by postage zone. One country per line: the printed name
// first, then aliases after the colon: codes, official and native names, Welsh names, frequent misspellings. A name
// listed as "The X" is also found as "X" (see countries.ts), but not the reverse: "The Island" is a house, "Island" is
// Iceland.
export const countryNames = {
  'united-kingdom': `
United Kingdom: ENG; GB; GBN; GBR; GG; IM; JE; NI; NIR; SCT; U.K.; WLS; Alderney; An Rywvaneth Unys; Bailiwick of Guernsey; Bailiwick of Jersey; Bitain; Brecqhou; Briain; Britain; Britiain; Brtain; Channel Islands; Cymru; Ellan Vannin; England; Englsnd; Gogledd Iwerddon; Grat Britain; Great Britain; Great Britan; Gret Britain; Guernsey; Herm; Island of Guernsey; Island of Jersey; Isle of Man; Jersey; Jethou; Lloegr; N Ireland; North Ireland; Northern Ireland; Sark; Scotland; Scottland; The UK; The United Kingdom; The United Kingdom of Great Britain and Northern Ireland; Unitit Kinrick; Wales; Y Deyrnas Unedig; Ynys Manaw; Yr Alban; Jèrri; Rìoghachd Aonaichte; Ríocht Aontaithe`,
  europe: `
Albania: AL; alabnia; albana; albanian; albanija; albenia; albiana; alibania; The Republic of Albania; Shqipëria
Andorra: AD; The Principality of Andorra
Armenia: AM; arima; arminia; Hayastan; The Republic of Armenia; Հայաստան
Austria: AT; avstria; Awstria; Oesterreich; Osterreich; The Republic of Austria; Republik Österreich
Azerbaijan: AZ; Aserbaijan; azebaijan; azeraijan; Azerbaijani Republic; azerbaijann; azerbaisan; azerbaizan; azerbajan; Azerbajdzhan; Azerbajdzhan Republic; azerbaycan; azerbayjan; azerbeyjan; azerbpijan; The Republic of Azerbaijan; Azərbaycan
Azores: Autonomous Region of the Azores; The Azores
Balearic Islands: Illes Balears; Islas Baleares
Belarus: BY; Belarws; Belorussia; Byelarus; Byelorussia; The Republic of Belarus; White Russia; Bielaruś; Беларусь
Belgium: BE; Belgie; Belgien; Belgique; Belguim; Gwlad Belg; The Kingdom of Belgium
Bosnia and Herzegovina: BA; BiH; Bosna i Hercegovina; Bosnia; Bosnia a Hercegovina; Bosnia-Herzegovina; Republic of Bosnia and Herzegovina; Босна и Херцеговина
Bulgaria: BG; Bugaria; Bulagar; Bulgariya; Bwlgaria; The Republic of Bulgaria; Bălgarija; България
Canary Islands: Canaries; El Hierro; Fuerteventura; Gran Canaria; Islas Canarias; La Gomera; La Graciosa; La Palma; Lanzarote; Tenerife; The Canary Islands
Corsica: Corse
Croatia: HR; Hrvatska; The Republic of Croatia
Cyprus: CY; Kibris; Kypros; The Republic of Cyprus; Kıbrıs; Κύπρος
Czechia: CS; CZ; Ceska; Czechoslav; Czechoslovak Republic; Czechoslovakia; The Czech Republic; Y Weriniaeth Tsiec; Česko; Česká republika
Denmark: DK; Danmark; Denmarc; The Kingdom of Denmark
Estonia: EE; Eesti; Esthonia; The Republic of Estonia
Faroe Islands: FO; Aeroes; Faroes; The Faroe Islands; Færøerne; Føroyar
Finland: FI; Suomi; The Republic of Finland; Y Ffindir
France: FR; Ffrainc; The French Republic; République Française
Georgia: GE; Sak'art'velo; საქართველო
Germany: DD; DE; FRG; Bundesrepublik; Deutschland; East Germany; Germany Democratic Republic; The Federal Republic of Germany; West Germany; Yr Almaen
Gibraltar: GI
Greece: GR; Ellada; Ellas; Gwlad Groeg; Hellas; The Hellenic Republic; Ελλάδα; Ελλάς
Greenland: GL; Gronland; Kalaallit Nunaat; Grønland
Hungary: HU; Hwngari; Magyarorszag
Iceland: IS; Island; The Republic of Iceland; Gwlad yr Iâ
Ireland: IE; ROI; Eire; Irelend; Irish Republic; Iwerddon; Rep of Ireland; Republic of Ireland; South Ireland; Southern Ireland
Italy: IT; Italia; Itlay; The Italian Republic; Yr Eidal
Kazakhstan: KZ; Kazak; Kazakh; Kazakstan; Khazakhstan; Qazaqstan; The Republic of Kazakhstan; Казахстан; Қазақстан; قازاقستان
Kosovo: XK; Kosova; The Republic of Kosovo; Косово
Kyrgyzstan: KG; Kirghiz; Kirghizia; Kirghizstan; Kirgiz; Kirgizia; Kirgizija; Kirgizstan; The Kyrgyz Republic; Киргизия; Кыргызстан
Latvia: LV; Latfia; Latvija; Latvijaz; The Republic of Latvia
Liechtenstein: LI; The Principality of Liechtenstein
Lithuania: LT; Lietuva; Lithwania; The Republic of Lithuania
Luxembourg: LU; Luxemborg; Luxemburg; Lwcsembwrg; The Grand Duchy of Luxembourg; Lëtzebuerg
Madeira: Autonomous Region of Madeira; Região Autónoma da Madeira
Malta: MT; The Republic of Malta
Moldova: MD; Moldavia; Moldofa; The Republic of Moldova
Monaco: MC; The Principality of Monaco
Montenegro: ME; Crna Gora; Црна Гора
Netherlands: NL; Holland; Nederland; The Kingdom of the Netherlands; The Netherlands; Yr Iseldiroedd; Nederlân
North Macedonia: MK; Gogledd Macedonia; Gweriniaeth Macedonia; Macedon; Macedonia; Makedonija; The Republic of Macedonia; Македонија
Norway: NO; Noreg; Norge; Norwy; The Kingdom of Norway
Poland: PL; Gwlad Pwyl; Polska; The Republic of Poland
Portugal: PT; Portiwgal; Portuguesa; The Portuguese Republic
Romania: RO; Roumania; Rumania; Rwmania
Russia: RU; Rossiya; Rwsia; The Russian Federation; Rossiâ; Российская; Россия
San Marino: RSM; SM; Repubblica; San Marino, Republic of; The Republic of San Marino
Serbia: RS; Srbija; The Republic of Serbia; Србија; Србија Srbija
Slovakia: SK; Slofacia; Slovensko; The Slovak Republic; Slovenská
Slovenia: SI; Slofenia; Slovenija; The Republic of Slovenia
Spain: ES; Espainia; Espanha; Espanya; Sbaen; The Kingdom of Spain; España
Sweden: SE; Sverige; The Kingdom of Sweden
Switzerland: CH; Schweiz; Suisse; Svizra; Svizzera; Switerland; The Swiss Confederation; Y Swistir
Tajikistan: TJ; Tadjik; Tadzhik; Tadzhikistan; Tajik; The Republic of Tajikistan; Tojikistan; Toçikiston; Тоҷикистон
Turkey: TR; The Republic of Turkey; Turkiye; Twrci
Turkmenistan: TM; Turkmen; Turkmenia; Turkomen
Ukraine: UA; The Ukraine; Ukrayina; Ukraїna; Wcráin; Україна
Uzbekistan: UZ; O'zbekstan; The Republic of Uzbekistan; Uzbek; O‘zbekiston; Ўзбекистон
Vatican City: VA; Citta del Vaticano; E Civitate Vaticana; Holy See; The Vatican; Vatican; Vatican City State`,
  'rest-of-world': `
Abu Dhabi: AE-AZ; Emirate of Abu Dhabi
Afghanistan: AF; Affganistan; afganastan; afganestan; afganhistan; afganistan; Afghanestan; afghanlstan; afghistan; The Islamic Republic of Afghanistan; افغانستان
Ajman: AE-AJ; Emirate of Ajman
Akrotiri: XQZ
Åland Islands: AX; Aaland; Ahvenanmaa; Aland
Algeria: DZ; aigeria; alegeria; algeir; algeirs; Algerie; algers; algieria; algiers; Dzayer; The People's Democratic Republic of Algeria; Al-Jazā'ir; الجزائر; ⴷⵣⴰⵢⴻⵔ
American Samoa: AS; Eastern Samoa; Territory of American Samoa; Amerika Sāmoa
Angola: AO; angolo; The Republic of Angola
Anguilla: AI
Antarctica: AQ
Antigua and Barbuda: AG; Antigua; Antigwa a Barbiwda; Barbuda
Argentina: AR; Argenina; argentiha; argentine; Argentinia; argentna; The Argentine Republic; Yr Ariannin
Aruba: AW
Ascension: SH-AC; Ascension Island
Australia: AU; ausralia; austalia; austraila; austrailia; australa; australla; austrilia; austrlia; autralia; avstralia; Awstralia; The Commonwealth of Australia
Bahrain: BH; State of Bahrain; The Kingdom of Bahrain; Al-Baḥrayn; البحرين
Baker Island
Bangladesh: BD; East Pakistan; The People's Republic of Bangladesh; বাংলাদেশ
Barbados: BB
Belize: BZ; British Honduras
Benin: BJ; Dahomey; The Republic of Benin
Bermuda: BM; Bermudas
Bhutan: BT; Bhwtan; Druk Yul; The Kingdom of Bhutan; भूटान; འབྲུག་ཡུལ
Bolivia: BO; Bolifia; Buliwya; The Plurinational State of Bolivia; Wuliwya; Volívia
Bonaire: BQ-BO
Botswana: BW; The Republic of Botswana
Bouvet Island: BV
Brazil: BR; Brasil; The Federative Republic of Brazil
British Antarctic Territory: BAT
British Indian Ocean Territory: IO; I.O.T.; The British Indian Ocean Territory
British Virgin Islands: VG; B.V.I.; The British Virgin Islands; The Virgin Islands; Virgin Islands, British; Virgina Islands
Brunei: BN; Brunei Darussalam; بروني
Burkina Faso: BF; Upper Volta; Volta
Burundi: BI; Bwrwndi; The Republic of Burundi
Cambodia: KH; Kampuchea; The Kingdom of Cambodia; កម្ពុជា
Cameroon: CM; Cameroun; The Republic of Cameroon; Camerŵn
Canada: CA; Candada
Cape Verde: CV; Cabo; Cabo Verde; The Republic of Cabo Verde
Cayman Islands: KY; The Cayman Islands
Central African Republic: CAR; CF; Central Africa; Gweriniaeth Canolbarth Affrica; The Central African Republic; Ködörösêse tî Bêafrîka; République Centrafricaine
Ceuta: ES-CE
Chad: TD; Tchad; The Republic of Chad; Tšād; تشاد
Chile: CL; The Republic of Chile
China: CN; PRC; Cathay; Mainland china; Peoples Republic; The People's Republic of China; Tsieina; Zhongguo; Zhonghua; Zhonghua Peoples Republic; 中华; 中国; 中国/中华
Christmas Island: CX; Territory of Christmas Island
Cocos (Keeling) Islands: CC; Territory of the Cocos (Keeling) Islands
Colombia: CO; The Republic of Colombia
Comoros: KM; Comores; Federal Islamic Republic of the Comoros; Juzur al-Qamar; Komori; The Comoros; The Union of the Comoros; Y Comoros; جز القمر; جزر القمر
Congo (Democratic Republic): CD; Congo, Democratic Republic of; Gweriniaeth Ddemocrataidd Congo; Repubilika ya Kongo; The Democratic Republic of the Congo; République démocratique du Congo
Congo: CG; Brazzaville; Congo-Brazzaville; French Congo; Gweriniaeth y Congo; The Congo; The Republic of the Congo; République du Congo
Cook Islands: CK; The Cook Islands
Costa Rica: CR; Coasta Rica; Costa Rico; The Republic of Costa Rica
Cuba: CU; Ciwba; The Republic of Cuba
Curaçao: CW; Curacao (former Netherlands Antilles); Country of Curaçao; Kòrsou
Dhekelia: XXD; Sovereign Base Areas of Akrotiri and Dhekelia
Djibouti: DJ; Djibouti, Republic of; Gabuuti; Jabuuti; The Republic of Djibouti; Jībūtī; جيبوتي
Dominica: DM; Dominica, Commonwealth of; Dominique; The Commonwealth of Dominica
Dominican Republic: DO; Gweriniaeth Dominica; The Dominican Republic; República Dominicana
Dubai: AE-DU; Dubai UAE; Emirate of Dubai
East Timor: TL; Dwyrain Timor; The Democratic Republic of Timor-Leste; Timor; Timor Lorosa'e; Timor-Leste
Easter Island
Ecuador: EC; Ecwador; The Republic of Ecuador
Egypt: EG; Egpyt; Egyot; Egyt; Masr; Misr; Rgypt; The Arab Republic of Egypt; United Arab Republic; Yr Aifft; مصر
El Salvador: SV; Salvador; The Republic of El Salvador
Equatorial Guinea: GQ; Gini Gyhydeddol; Guinea Ecuatorial; Spanish Guinea; The Republic of Equatorial Guinea
Eritrea: ER; Ertra; Iritriya; The State of Eritrea; إرتريا; ኤርትራ
Eswatini: SZ; Gwlad Swazi; kaNgwane; Kingdom of Eswatini; Ngwane; Swatini; Swaziland; The Kingdom of Swaziland; Umbuso weSwatini; weSwatini
Ethiopia: ET; Abyssinia; Ethopi; Ityop'ia; The Federal Democratic Republic of Ethiopia; Yaltopya; ኢትዮጵያ
Falkland Islands: FK; Falkland; Las Malvinas; The Falkland Islands; The Falklands
Fiji: FJ; Ffiji; The Republic of Fiji; Viti; फ़िजी
French Guiana: GF; Guyane
French Polynesia: PF; French Oceania; Polynésie Française
French Southern Territories: TF
Fujairah: AE-FU; Emirate of Fujairah
Gabon: GA; Gabun; The Gabonese Republic; République Gabonaise
Ghana: GH; Gold Coast; The Republic of Ghana
Grenada: GD
Guadeloupe: GP
Guam: GU; Territory of Guam; Guåhån
Guatemala: GT; The Republic of Guatemala
Guinea-Bissau: GW; Portuguese Guinea; The Republic of Guinea-Bissau; Guiné-Bissau
Guinea: GN; French Guinea; Gine; Gini; The Republic of Guinea; Guinée
Guyana: GY; British Guiana; Gaiana; The Co-operative Republic of Guyana
Haiti: HT; Ayiti; The Republic of Haiti
Heard Island and McDonald Islands: HM; Territory of Heard Island and McDonald Islands
Honduras: HN; Hondwras; The Republic of Honduras
Hong Kong: HK; Heung Gong; Hong Kong Special Administrative Region; 香港
Howland Island
India: IN; Bharat; Hindustan; The Republic of India; Bharôt; Bharôtô; Bhārata; Bhāratadēsam; Bhāratam; Bārata; भारत; भारत गणराज्य; भारतम्; ভারত; ভাৰত; ਭਾਰਤ; ભારત; ଭାରତ; பாரதம்; భారత దేశం; ಭಾರತ; ഭാരതം
Indonesia: ID; Dutch East Indies; The Republic of Indonesia
Iran: IR; Persia; The Islamic Republic of Iran; ایران
Iraq: IQ; Al-'Iraq; Irac; Irak; The Republic of Iraq; العراق
Israel: IL; Isreal; Sion; The State of Israel; Yisra'el; Zion; Israʼiyl; ישראל; إسرائيل; إسرائيل ישראל
Ivory Coast: CI; Cote D'Ivoire; The Ivory Coast; The Republic of Cote D'Ivoire
Jamaica: JM; Jamaca; Jamacia
Japan: JP; Nihon; Nippon; 日本
Jarvis Island
Johnston Atoll
Jordan: JO; Iorddonen; The Hashemite Kingdom of Jordan; Al-’Urdun; الأردن
Kenya: KE; The Republic of Kenya
Kingman Reef
Kiribati: KI; The Republic of Kiribati
Kuwait: KW; Dawlat ul-Kuwayt; il-ikwet; Koweit; The State of Kuwait; الكويت; دولة الكويت
Laos: LA; Lao; The Lao People's Democratic Republic; ປະເທດລາວ
Lebanon: LB; Libanus; The Lebanese Republic; The Lebanon; Lubnān; لبنان
Lesotho: LS; Basutoland; The Kingdom of Lesotho
Liberia: LR; The Republic of Liberia
Libya: LY; Jamahiriya; Libia; Socialist People's Libyan Arab; Lībiyā; ليبيا; ⵍⵉⴱⵢⴰ
Macao: MO; Macao Special Administrative Region; Macau
Madagascar: MG; Madagasgar; Madagasikara; Malagasy Republic; The Republic of Madagascar
Malawi: MW; Nyasaland; The Republic of Malawi
Malaysia: MY; Federation of Malaysia; Malyasi; Malēṣiyā; Mǎláixīyà; மலேசியா; 马来西亚
Maldives: MV; Dhivehi Raajje; The Maldives; The Republic of Maldives
Mali: ML; French Sudan; The Republic of Mali
Marshall Islands: MH; The Marshall Islands; The Republic of the Marshall Islands; Ynysoedd Marshall; Aorōkin M̧ajeļ
Martinique: MQ
Mauritania: MR; Agawec; Mauritanie; Muritan; Muritaniya; The Islamic Republic of Mauritania; Mūrītānyā; République Islamique de Mauritanie; الموريتانية; موريتانيا; ⴰⴳⴰⵡⵛ; ⵎⵓⵔⵉⵜⴰⵏ
Mauritius: MU; Maurice; Moris; The Republic of Mauritius
Mayotte: YT
Melilla: ES-ML
Mexico: MX; Mecsico; Mexcio; Mexicanos; Mexixo; The United Mexican States; Mēxihco
Micronesia: FM; Micronesia, Federated States of; The Federated States of Micronesia
Midway Islands
Mongolia: MN; Mongol Uls; Outer Mongolia; Mongγol Ulus; Монгол Улс; ᠮᠤᠩᠭᠤᠯ ᠤᠯᠤᠰ
Montserrat: MS
Morocco: MA; Al-Magrib; Amerruk; Maroc; Marruecos; Moroco; The Kingdom of Morocco; Al-maɣréb; Elmeɣrib; المغرب; ⴰⵎⵔⵔⵓⴽ; ⵍⵎⵖⵔⵉⴱ
Mozambique: MZ; Mocambique; Mosambic; The Republic of Mozambique
Myanmar (Burma): MM; Burma; Myanma; Myanmar; The Republic of the Union of Myanmar; မြန်မာ
Namibia: NA; South west africa; The Republic of Namibia; Namibië
Nauru: NR; Naoero; The Republic of Nauru
Navassa Island
Nepal: NP; The Federal Democratic Republic of Nepal; नेपाल
New Caledonia: NC; Nouvelle-Calédonie
New Zealand: NZ; Aotearoa; New Zeeland; Seland Newydd; Zealnd; Zeland
Nicaragua: Nicaragwa; The Republic of Nicaragua
Niger: NE; Nijar; The Republic of Niger
Nigeria: NG; Nijeriya; The Federal Republic of Nigeria; Naíjíríà
Niue: NU
Norfolk Island: NF; Territory of Norfolk Island
North Korea: DPRK; KP; PRK; Gogledd Corea; The Democratic People's Republic of Korea; Bukchosŏn; 북조선; 조선 / 朝鮮
Northern Mariana Islands: MP; Commonwealth of the Northern Mariana Islands; Northern Marianas
Occupied Palestinian Territories: PS; Palestine; Palestine, state of; Palestinian Territory; State of Palestine; The Occupied Palestinian Territories; فلسطين
Oman: OM; Muscat and Oman; The Sultanate of Oman; عمان; عُمان; ‘Umān
Pakistan: PK; The Islamic Republic of Pakistan; West Pakistan; پاکستان
Palau: PW; Belau; Pelew; The Republic of Palau
Palmyra Atoll
Panama: PA; The Republic of Panama
Papua New Guinea: PG; PNG; Papua Guinea Newydd; Papua Niugini; The Independent State of Papua New Guinea
Paraguay: PY; The Republic of Paraguay; Paraguái; Paragwâi
Peru: PE; Periw; Piruw; The Republic of Peru
Philippines: PH; Philippine Islands; Phillippine; Pilipinas; Pinas; The Philippines; The Republic of the Philippines
Pitcairn, Henderson, Ducie and Oeno Islands: PN; Ducie and Oeno Islands; Ducie Island; Henderson; Henderson Island; Oeno Island; Pitcairn; Pitcairn Island
Puerto Rico: PR; Commonwealth of Puerto Rico; Porto Rico; Puarto Rico
Qatar: QA; Katar; The State of Qatar; Ztate of Katar; قطر
Ras al-Khaimah: AE-RK; Emirate of Ras al-Khaimah
Réunion: RE
Rwanda: RW; Ruanda; Rwanda, Republic of; Rwandese Republic; The Republic of Rwanda
Saba: BQ-SA
Saint Barthélemy: BL; St Barth; St. Barthelemy
Saint Helena: SH-HL; St Helena
Saint Pierre and Miquelon: PM; Saint-Pierre et Miquelon
Saint-Martin (French part): MF; Collectivity of Saint Martin
Samoa: WS; Samo; Samoa i Sisifo; The Independent State of Samoa; Western samoa
Sao Tome and Principe: ST; Sao Thome e Principe; Sao Tome e Principe; St. Thomas and Principe; The Democratic Republic of Sao Tome and Principe; São Tomé a Príncipe
Saudi Arabia: SA; The Kingdom of Saudi Arabia; Al-Mamlaka Al-‘Arabiyyah as Sa‘ūdiyyah; السعودية; المملكة العربية السعودية
Senegal: SN; The Republic of Senegal
Seychelles: SC; Sesel; The Republic of Seychelles; The Seychelles
Sharjah: AE-SH; Emirate of Sharjah
Sierra Leone: SL; The Republic of Sierra Leone
Singapore: SG; Singapur; Singapura; The Republic of Singapore; Xīnjiāpō; சிங்கப்பூர்; சிங்கப்பூர் குடியரசு; சிங்கப்பூர்கு; டியரசு; 新加坡; 新加坡共和国
Sint Eustatius: BQ-SE
Sint Maarten (Dutch part): SX; Sint Maarten
Solomon Islands: SB; Solomon Aelan; Solomons; The Solomon Islands; Ynysoedd Solomon
Somalia: SO; Federal Republic of Somalia; Soomaaliya; aş-Şūmāl; الصومال
South Africa: RSA; ZA; Aforika Borwa; Afrika Borwa; Afrika Dzonga; Afurika Tshipembe; De Affrica; iNingizimu Afrika; iSewula Afrika; Suid-Afrika; The Republic of South Africa; uMzantsi Afrika
South Georgia and South Sandwich Islands: GS; South Georgia and the South Sandwich Islands
South Georgia and the South Sandwich Islands: South Georgia; the sandwich islands; the south sandwich islands
South Korea: KR; De Corea; Hanguk; Korea; Korea, Republic of; Namhan; The Republic of Korea; 남한; 대한민국; 한국; 한국 / 韓國
South Sudan: SS; De Sudan; The Republic of South Sudan
Sri Lanka: LK; Ceylon; The Democratic Socialist Republic of Sri Lanka; இலங்கை; ශ්රී ලංකා; ශ්රී ලංකා இலங்கை; ශ්රී ලංකාව
St Kitts and Nevis: KN; Saint Kitts; Saint Kitts a Nevis; Saint Kitts and Nevis; St Kitts; St Kitts a Nevis; The Federation of Saint Christopher and Nevis
St Lucia: LC; Saint Lucia
St Vincent: VC; Saint Vincent and the Grenadines; St Vincent and the Grenadines; Saint Vincent a’r Grenadines
Sudan: SD; As-Sudan; Soudan; The Republic of the Sudan; The Sudan; السودان
Suriname: SR; Sarnam; Sarnam Sranangron; Sranangron; Swrinam; The Republic of Suriname; शर्नम्
Svalbard and Jan Mayen: SJ
Syria: SY; Suriyah; The Syrian Arab Republic; سورية
Taiwan: TW; Chinese Taipei; Republic of China; Zhōnghuá Mínguó; 中華民國; 台灣; 臺灣; 臺灣/台灣
Tanzania: TZ; The United Republic of Tanzania
Thailand: TH; Gwlad Thai; Mueang Thai; Prathet Thai; Ratcha-anachak Thai; Siam; The Kingdom of Thailand; ประเทศไทย; ราชอาณาจักรไทย; เมืองไทย
The Bahamas: BS; Commonwealth of Bahamas; The Commonwealth of The Bahamas; Y Bahamas
The Gambia: GM; Islamic Republic of Gambia; The Republic of The Gambia; Y Gambia
Togo: TG; The Togolese Republic; Togolese
Tokelau: TK
Tonga: TO; Friendly islands; The Kingdom of Tonga
Trinidad and Tobago: TT; The Republic of Trinidad and Tobago; Tobago; Trinidad; Trinidad a Thobago
Tristan da Cunha: SH-TA; Tristan
Tunisia: TN; The Tunisian Republic; Tunes; Tūns; تونس; ⵜⵓⵏⵙ
Turks and Caicos Islands: TC
Tuvalu: TV; Ellice Islands; Twfalw
Uganda: UG; The Republic of Uganda
Umm al-Quwain: AE-UQ; Emirate of Umm al-Quwain
United Arab Emirates: AE; UAE; arab emir ates; The UAE; The United Arab Emirates; Yr Emiradau Arabaidd Unedig; Al-’Imārat Al-‘Arabiyyah Al-Muttaḥidah; الإمارات; الإمارات العربيّة المتّحدة
United States Virgin Islands: VI; American Virgin Islands; Virgin Islands of the United States
United States: U.S.; Ameeri; Ameica; Amelika-hui-pu-'ia; Amerca; Amercia; Ameria; America; americia; Amrica; Anmerica; Estados Unidos; Hawaii; The States; The United States; the united states of amercia; The United States of America; The USA; U.S.A.; Unit States; Unite States; United Sat; United Staes; United Stated; United States Amercia; United States America; United Stats; United Sttes; Unites States; Unol Daleithiau America; Untied State; États-Unis
Uruguay: UY; The Oriental Republic of Uruguay; República Oriental del Uruguay; Wrwgwái
Vanuatu: VU; New Hebrides; The Republic of Vanuatu
Venezuela: VE; Feneswela; The Bolivarian Republic of Venezuela; Venezula
Vietnam: VN; Annam; Fietnam; The Socialist Republic of Vietnam; Veitnam; Vietman
Wake Island
Wallis and Futuna: WF; Territory of the Wallis and Futuna Islands; Uvea mo Futuna; Wallis-et-Futuna
Western Sahara: EH; لصحراء الغربية
Yemen: YE; Al-Yaman; The Republic of Yemen; اليمن
Zambia: ZM; Northern Rhodesia; The Republic of Zambia
Zimbabwe: ZW; Rhodesia; The Republic of Zimbabwe`,
} as const;
