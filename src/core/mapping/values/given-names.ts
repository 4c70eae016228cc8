// Given names and family names that are common in twelve languages, folded. They decide only where the order of words or
// the end of the given names is open; a name that is in none of them is read by its form alone.
import { foldedWord, wordSet } from './name-words.ts'

const GIVEN = wordSet(`
  taylor jackson lewis kelly ross stuart gordon jordan lee clark leroy denis alonso carter kim
  fiona geoffrey katherine theodore delphine aurelien asa tyra tugba inigo erwin gavin malcolm duncan trevor nigel derek neil
  clive glenn craig douglas keith barry donald eugene ralph howard bruce wayne philippa gemma joanne lauren megan natasha
  samantha kimberly pamela cynthia kathleen sharon donna carolyn virginia heather judy joyce marilyn doris diane ashley
  brenda carol cheryl debra denise gail gary gerald jeff jeffrey jerry jill joan joshua julian justin karl kathy kyle larry
  leonard lori marcus marilyn marvin matt melissa mike nathan norman pamela peggy phyllis rhonda rick ron ronnie russell
  sally sam shirley stacy stanley stephen tim tiffany todd tony tracy tyler vincent wendy zachary sigrun wiebke heiner hinrich
  gisbert lutz ulla traute ilka birte maren silvana sandro loredana graziella rosaria carmela pasquale gennaro vito
  emanuela ornella antonella mirella maurizio fabrizio massimiliano pierluigi gianpaolo begonya rocio noelia yolanda
  fermin jordi montserrat eulalia amparo asuncion encarnacion milagros goncalo nelson edson lurdes
  aleksander arkadiusz artur beniamin cezary dawid emil feliks halszka jaroslaw kacper kornelia leokadia marzena natalia
  oliwia rafal stefania witold zenon ingvar ingmar torbjorn goran bo sixten linnea ebba elsa signe alva
  aaron abigail adam adrian agata agnes agnieszka ahmed ahmet alain alan albert alberto alejandra alejandro aleksandra
  alessandra alessandro alessia alexander alexandra alexandre alfonso alfredo alice alicia aline alison alois amanda amelia
  amelie amina amy ana anders andras andre andrea andreas andrew andrzej angel angela angelika anita anja ann anna anne
  annette annika anthony antje antoine anton antonia antonio arnaud arthur astrid attila axel ayse balazs barbara barbel
  bart bartosz beata beate beatrice beatriz bela benedikt benjamin benoit bernadette bernard bernd bernhard berta bianca
  birgit bjorn blanca bram brian brigitte bruno camila camille carl carla carlos carmen carolina caroline caterina catherine
  cecile cecilia celine charles charlotte chiara chloe christa christian christiane christina christine christoph christophe
  christopher clara claude claudia claudio clemens cristina cristiano dagmar daniel daniela daniele dariusz david davide
  deborah diana diego dieter dietrich dirk dominik dominika dominique dorothea dorota duarte edith eduard eduardo edward
  eleonora elena elif elisa elisabeth elise elizabeth elke ella ellen elsa emilia emily emma emmanuel emre enrico enrique
  eric erik erika erzsebet esra esther eszter etienne eva evelyn ewa fabian fabio fabrice fatma federica federico felix
  ferenc fernanda fernando filip filipa filipe florence florian francesca francesco francisca francisco francois francoise
  frank franz fred frederic frederik friedrich fritz gabor gabriel gabriela gabriele gabriella georg george gerard gerd
  gerda gerhard gianluca gianni gilles gisela giorgia giorgio giovanna giovanni giulia giulio giuseppe gizem gloria
  gonzalo grace graham grazyna gregor grzegorz guido guillaume gunter gunther gustav hakan halina hamza hanna hannah hannes
  hans harald harry hasan hassan heidi heike heiko heinrich heinz helen helena helene helga helmut hendrik henri henrik
  henrique henry herbert hermann hilde horst hubert hugo husein huseyin ibrahim ignacio ilona ilse imran ines inga inge
  ingeborg ingo ingrid irena irene iris irmgard isabel isabella isabelle istvan ivan ivo iwona jack jacek jacqueline jacques
  jakob jakub james jan jana jane janet janina janos janusz javier jean jeanne jennifer jens jeremy jerzy jesper jessica jesus
  jo joachim joanna joao joaquin johan johann johanna johannes john jolanta jonas jonathan jorg jorge jose josef
  joseph josephine jozef jozsef juan juana judit judith julia julian juliane julie julien jurgen justyna kamil kamila karen
  karin karina karl karla karol karolina katalin katarina katarzyna kate katharina kathrin katja katrin kemal ken kenneth
  kerstin kevin khalid kim kirsten klaus konrad krisztina krystyna krzysztof kurt lars laszlo laura laurent lea leila lena
  leo leon leonardo leonie leonor leszek linda lisa lorena lorenzo lothar louis louise luc luca lucas lucia luciana luigi luis
  luisa luiz lukas lukasz lydia maciej madeleine magda magdalena mahmoud maja malgorzata manfred manon manuel manuela marc
  marcel marcello marcin marco marcos marek margaret margarida margarita margit margot margrit maria mariam mariana
  marianne marie mariella marina mario marion mark marketa markus marlene marta martha martin martina martine mary maryam
  massimo mateo mateusz mathias mathieu mathilde matilde matteo matthew matthias maurice mauro max maximilian mehmet melanie
  mercedes merve michael michaela michal michel michele michelle miguel mihaly mikael milan miriam mohamed mohammad
  mohammed monica monika monique moritz muhammad murat mustafa nadia nadine nancy natalia natalie nathalie nele nicholas
  nicola nicolas nicole niklas nikolaus nils nina noemi nora norbert nuno olga oliver olivia olivier omar orsolya oscar oskar
  osman otto ozlem pablo paola paolo pascal patricia patrick patrik paul paula pauline paulo pavel pawel pedro peggy per peter
  petra philip philipp philippe pia piero pierre pieter pietro pilar piotr rachel rafael rafal rainer ralf ramon raphael
  raquel raul rebecca regina reinhard reinhold renata renate renato rene ricardo riccardo richard rita robert roberta roberto
  rodrigo roger roland rolf roman ronald rosa rosemarie ruben rudiger rudolf rui ruth ryan ryszard sabine salvatore samir
  samuel sandra sara sarah sean sebastian sebastien selin serge sergio severine sibylle siegfried sigrid silke silvia simon
  simona simone sofia sofie sonia sonja sophia sophie stanislaw stefan stefania stefanie stefano steffen stephan stephane
  stephanie stephen steve steven susan susana susanne suzanne sven svenja sven sylvia sylvie tadeusz tamara tamas tania tanja
  tatiana teresa theo theodor theresa therese thierry thomas thorsten tiago tibor till tim timo tina tobias tom tomas tomasz
  torsten udo ulf ulrich ulrike ulla ursula ute uwe valentina valerie vanessa vera veronica veronika veronique vicente
  victor victoria viktor viktoria vincent vincenzo virginie vittorio viviane volker walter waltraud werner wieslaw
  wilhelm willem william willi wim wioletta wojciech wolfgang xavier yasemin yasmin youssef yusuf yves yvonne zbigniew zeynep
  zofia zoltan zsolt zsofia zsuzsanna agneta ake birgitta gunilla gunnar kjell lennart mats ulf nikolaj soren jesper mette
  dagny sigurd eugenia eugen ernst edgar adele adriana aldo alba alvaro belen begona elvira emilio esteban eugenio felipe
  gerardo guillermo gustavo hector ismael jaime joel josefa julio marisol nuria oriol ramiro rocio salvador santiago tomas
  vitor afonso bruna catia duarte fatima goncalo heitor joana larissa leticia livia marcia miguela sandro tatiane thais
  agathe anais aurelie brigit bernadett cedric corinne damien didier edouard elodie fabienne gaelle genevieve gregoire herve
  jerome josette laetitia loic lucie ludovic magali marcelle mickael mireille odile pascale quentin regis remi romain
  sandrine solange stephan thibault tristan valentin yann yannick bogdan bozena czeslaw danuta edyta elzbieta henryk ireneusz
  jadwiga kazimierz kinga lidia lucyna marian mariusz miroslaw patrycja przemyslaw radoslaw roksana slawomir sylwia szymon
  teodor urszula wanda weronika wieslawa zdzislaw zuzanna adem ali aylin baris burak busra can cem deniz ebru emine erdem
  fatih furkan gul hatice irem ismail kerem leyla melis nazli nur okan onur orhan ozan pinar recep seda selim serkan sibel
  sinan suleyman tuba ufuk umut ugur volkan zehra aisha bilal faisal fatimah hussein jamal karim layla nadir
  noura rania rashid salim salma samira tariq yasser zainab agoston akos aniko aron barnabas bence boglarka csaba
  daniel david dora emese erno eniko erika ervin gergely gyorgy gyula ildiko imre jeno jolan karoly kinga krisztian lajos
  levente lilla marton mate matyas miklos norbert peter reka robert sandor sarolta szilvia tunde vilmos viola zita zsombor
  anneke annemarie cornelis daan dirk femke gerrit hanneke henk ineke jaap jacob jeroen joke joost joris kees klaas koen lieke
  lotte maaike maarten marieke marijke martijn niels pim ruud sander sanne sjoerd stijn tess thijs wouter`)

const FAMILY = wordSet(`
  douglas bruce howard nelson russell craig norman barry keith stanley tyler todd leonard neil glenn wayne carter vincent lutz
  gary gerald ralph dean nathan joyce carol lauren cary sally franklin floyd warren allen ray grant clive
  garcia gonzalez rodriguez fernandez lopez martinez sanchez perez gomez martin jimenez ruiz hernandez diaz moreno munoz
  alvarez romero alonso gutierrez navarro torres dominguez vazquez ramos gil ramirez serrano blanco molina morales suarez
  ortega delgado castro ortiz rubio marin sanz nunez iglesias medina garrido cortes castillo santos lozano guerrero cano
  prieto mendez cruz calvo gallego vidal leon marquez herrera flores cabrera campos vega fuentes carrasco diez reyes
  caballero nieto aguilar pascual santana herrero montero lorenzo hidalgo gimenez ibanez ferrer duran vargas mora vicente
  arias carmona crespo roman pastor soto saez velasco moya soler parra esteban bravo gallardo rojas silva ferreira pereira
  costa oliveira rodrigues martins jesus sousa souza fernandes goncalves gomes lopes marques alves almeida ribeiro pinto
  carvalho teixeira moreira correia mendes nunes soares vieira monteiro cardoso rocha neves coelho cruz cunha pires ramos
  reis simoes antunes matos fonseca barbosa araujo lima melo barros freitas azevedo nascimento machado miranda
  smith jones taylor brown williams wilson johnson davies robinson wright thompson evans walker white roberts green hall
  wood jackson clarke harris clark lewis young king baker moore miller davis anderson thomas martin simon alexander arnold
  james john george paul peter frank ernst otto werner walter hermann friedrich albert konrad ludwig lorenz hartmann jordan
  lawrence henry charles graham gordon stewart stuart ross kelly murphy lee ryan jacob jakob david daniel michel andre
  bernard robert richard laurent morel vincent denis thierry louis gerard raymond leroy petit durand dubois moreau girard
  muller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schafer koch bauer richter klein wolf schroder
  neumann schwarz zimmermann braun kruger hofmann hartmann lange schmitt krause meier lehmann schmid schulze maier kohler
  herrmann konig walter huber kaiser fuchs peters lang scholz moller weiss jung hahn schubert vogel keller
  rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti mancini giordano
  rizzo lombardi moretti barbieri fontana santoro mariani rinaldi caruso ferrara galli martini leone longo gentile
  jansen janssen bakker visser smit meijer mulder bos vos peeters hendriks dekker brouwer dijkstra
  nowak kowalski kowalska wisniewski wisniewska wojcik kowalczyk kaminski kaminska lewandowski lewandowska zielinski
  szymanski wozniak dabrowski dabrowska kozlowski jankowski mazur
  andersson johansson karlsson nilsson eriksson larsson olsson persson svensson gustafsson pettersson jonsson
  yilmaz kaya demir sahin celik yildiz yildirim ozturk aydin ozdemir arslan dogan kilic aslan cetin koc kurt
  nagy kovacs toth szabo horvath varga kiss molnar nemeth farkas balogh papp takacs juhasz lakatos meszaros
  nguyen tran pham hoang huynh phan wang zhang chen liu yang huang kim park choi singh kumar khan ali ahmed hussein
  hassan rahman saleh mansour haddad khalil nasser`)

/** Family names that stand first where they are at home. */
const EASTERN =
  wordSet(`li zhou wu xu sun zhu ma hu guo gao lin luo zheng liang song tang deng feng cao peng zeng xiao tian
  dong yuan cai jiang yu du ye cheng wei lu ding shen vu vo dang bui ho ngo duong ly jung kang cho yoon jang lim`)

const pieces = (word: string): string[] => foldedWord(word).split('-')

/** A given name, and hardly ever a family name; Anna-Lena as well. */
export const isGivenOnly = (word: string): boolean =>
  pieces(word).every((piece) => GIVEN.has(piece) && !FAMILY.has(piece))

/** A family name, and hardly ever a given name. */
export const isFamilyOnly = (word: string): boolean =>
  pieces(word).every((piece) => FAMILY.has(piece) && !GIVEN.has(piece))

/** A family name at the beginning of a full name: what follows is the given name. */
export const isFamilyInFront = (word: string): boolean => isFamilyOnly(word) || EASTERN.has(foldedWord(word))

/** A given name, whatever else it is. */
export const isGivenWord = (word: string): boolean => pieces(word).some((piece) => GIVEN.has(piece))
