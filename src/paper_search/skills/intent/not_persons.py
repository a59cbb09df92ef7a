"""Capitalised words after "by", "from" and "of" that name no person."""

from __future__ import annotations

from paper_search.skills.word_lists import words_in

_WORDS = words_in(
    """
    africa african america american antarctica arctic asia asian europe european eurasia oceania
    afghanistan albania algeria angola argentina armenia australia austria azerbaijan bahrain
    bangladesh belarus belgium benin bhutan bolivia bosnia botswana brazil britain bulgaria
    burundi cambodia cameroon canada chad chile china chinese colombia congo croatia cuba cyprus
    czechia denmark ecuador egypt england eritrea estonia ethiopia fiji finland france french gabon
    gambia georgia germany german ghana greece greenland guatemala guinea haiti honduras hungary
    iceland india indian indonesia iran iraq ireland israel italy italian jamaica japan japanese
    jordan kazakhstan kenya kosovo kuwait laos latvia lebanon liberia libya lithuania luxembourg
    macedonia madagascar malawi malaysia mali malta mexico moldova mongolia montenegro morocco
    mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan
    palestine panama paraguay peru philippines poland portugal qatar romania russia russian rwanda
    scotland senegal serbia singapore slovakia slovenia somalia spain spanish sudan suriname sweden
    switzerland syria taiwan tanzania thailand tibet togo tunisia turkey uganda ukraine uruguay
    uzbekistan venezuela vietnam wales yemen zambia zimbabwe zealand korea korean emirates kingdom
    england london paris berlin madrid rome vienna moscow beijing shanghai tokyo delhi mumbai
    sydney toronto chicago boston california texas florida york washington cambridge oxford harvard
    stanford princeton yale berkeley zurich munich amsterdam
    university institute college school laboratory lab labs department center centre ministry
    agency association society group team consortium foundation council corporation company
    academy hospital google microsoft facebook meta openai deepmind apple amazon ibm nvidia intel
    nasa nature science elsevier springer wiley wikipedia twitter reddit github arxiv pubmed scopus
    researchers scientists authors students women men children people patients physicians nurses
    teachers doctors engineers companies
    bayesian markov gaussian poisson fourier laplace hilbert euler newton newtonian monte carlo
    kalman hessian jacobian lagrangian hamiltonian boltzmann fermi dirac maxwell navier stokes
    euclidean riemannian transformer transformers bert python java linux windows android internet
    web english deep machine artificial neural quantum learning monday january february march
    april june july august september october november december pleistocene holocene
    covid ebola alzheimer alzheimers parkinson mendelian darwinian marxist christian islam islamic
    buddhist catholic jewish muslim western eastern northern southern latin middle
    random forest regression analysis network networks method methods theory model models means way
    doppler hubble crispr hadoop san los new north south east west santa saint rio central homo
    hong cape united
    """
)
NOT_PERSONS = frozenset(_WORDS)
"""In lower case: places, institutions, groups of people, and names that stand for subjects."""
